// Separate module for lazy loading: in the bundle, `import('yaml')` itself has no named exports.
export { stringify } from 'yaml';
