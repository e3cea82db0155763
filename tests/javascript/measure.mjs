// measure.mjs COMPONENT...: what each program takes in each component, in milliseconds of this
// process, and whether all answer alike. The least of 25 runs in turn counts: the first few are of
// code that V8 has not optimised yet.

import { transpile } from '@bytecodealliance/jco';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

const SIZES = { scheduler: 60, constraints: 150, rays: 60, patterns: 40, splay: 15000 };
const RUNS = 25;

async function load(component) {
  const directory = resolve(basename(component, '.wasm'));
  const { files } = await transpile(await readFile(component), { name: 'it', outDir: directory });
  for (const [name, contents] of Object.entries(files)) {
    const path = name.startsWith('/') ? name : join(directory, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, contents);
  }
  await writeFile(join(directory, 'package.json'), '{"type":"module"}');
  return import(join(directory, 'it.js'));
}

const components = process.argv.slice(2);
const modules = [];
for (const component of components) modules.push(await load(component));
console.log(['program', ...components.map((name) => basename(name, '.wasm'))].join('\t'));
for (const [name, size] of Object.entries(SIZES)) {
  const least = modules.map(() => Infinity);
  const answers = new Set();
  for (let run = 0; run < RUNS; run++) {
    modules.forEach((module, i) => {
      const before = process.cpuUsage();
      answers.add(module.run(name, size));
      least[i] = Math.min(least[i], process.cpuUsage(before).user / 1000);
    });
  }
  if (answers.size !== 1) throw new Error(`${name}: the answers differ: ${[...answers]}`);
  console.log([name, ...least.map((ms) => ms.toFixed(0))].join('\t'));
}
