// YAML as a module of its own, loaded where it is asked for: the bundle gives `import('yaml')` itself no named exports.
export { stringify } from 'yaml';
