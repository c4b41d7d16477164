// Reserved words and operators of CEL, with the function names of the operators.
/** CEL reserves these; they may name fields and methods but not variables or functions. */
export const reserved = new Set(
  'as break export const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);
export const keywords = new Set(['true', 'false', 'null', 'in']);
export const relations = new Map([
  ['<', '_<_'],
  ['<=', '_<=_'],
  ['>', '_>_'],
  ['>=', '_>=_'],
  ['==', '_==_'],
  ['!=', '_!=_'],
  ['in', '@in'],
]);
export const sums = new Map([
  ['+', { name: '_+_', level: 1 }],
  ['-', { name: '_-_', level: 1 }],
  ['*', { name: '_*_', level: 2 }],
  ['/', { name: '_/_', level: 2 }],
  ['%', { name: '_%_', level: 2 }],
]);
