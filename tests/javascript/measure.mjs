// measure.mjs COMPONENT...: what each program takes in each component, in milliseconds of CPU time,
// and whether all answer alike. V8 places and optimises the same code differently in each process,
// which makes a fifth in single programs. So each component runs in processes of its own, all in
// turn; the least of a process's runs counts, as its first ones are of code that is not optimised
// yet, and of the processes the median.

import { transpile } from '@bytecodealliance/jco';
import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const SIZES = { scheduler: 120, constraints: 300, rays: 90, patterns: 80, splay: 20000 };
const RUNS = 10;
const PROCESSES = 5;

// Makes a module of Node's of the component, and answers its path.
async function prepare(component) {
  const directory = resolve(basename(component, '.wasm'));
  const { files } = await transpile(await readFile(component), { name: 'it', outDir: directory });
  for (const [name, contents] of Object.entries(files)) {
    const path = name.startsWith('/') ? name : join(directory, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, contents);
  }
  await writeFile(join(directory, 'package.json'), '{"type":"module"}');
  return join(directory, 'it.js');
}

// In a process of its own: the answer and the least time of each program.
async function measure(path) {
  const { run } = await import(path);
  const measured = {};
  for (const [name, size] of Object.entries(SIZES)) {
    const answers = new Set();
    let least = Infinity;
    for (let i = 0; i < RUNS; i++) {
      const before = process.cpuUsage();
      answers.add(run(name, size));
      least = Math.min(least, process.cpuUsage(before).user / 1000);
    }
    measured[name] = { answers: [...answers], least };
  }
  process.stdout.write(JSON.stringify(measured));
}

function median(times) {
  return times.sort((a, b) => a - b)[times.length >> 1];
}

async function compare(components) {
  const paths = [];
  for (const component of components) paths.push(await prepare(component));
  const processes = paths.map(() => []);
  for (let turn = 0; turn < PROCESSES; turn++) {
    paths.forEach((path, i) => {
      const itself = fileURLToPath(import.meta.url);
      const printed = execFileSync(process.execPath, [itself, '--in', path]);
      processes[i].push(JSON.parse(printed));
    });
  }
  console.log(['program', ...components.map((name) => basename(name, '.wasm'))].join('\t'));
  for (const name of Object.keys(SIZES)) {
    const answers = new Set(processes.flat().flatMap((measured) => measured[name].answers));
    if (answers.size !== 1) throw new Error(`${name}: the answers differ: ${[...answers]}`);
    const times = processes.map((turns) => median(turns.map((measured) => measured[name].least)));
    console.log([name, ...times.map((ms) => ms.toFixed(0))].join('\t'));
  }
}

const [first, ...rest] = process.argv.slice(2);
await (first === '--in' ? measure(rest[0]) : compare([first, ...rest]));
