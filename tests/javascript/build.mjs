// build.mjs OUTPUT [COMMAND]: compiles the programs to a component, ahead of time by a command
// that takes weval's options if one is given.

import { componentize } from '@bytecodealliance/componentize-js';
import { writeFile } from 'node:fs/promises';

const [, , output, command] = process.argv;
const ahead = command ? { enableAot: true, wevalBin: command } : {};
const { component } = await componentize({
  sourcePath: 'programs.js',
  witPath: 'wit',
  worldName: 'programs',
  ...ahead,
});
await writeFile(output, component);
