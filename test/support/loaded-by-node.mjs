// Tests import the program and its packages as modules that Node loads once per worker. Jest would load them again for
// each test file, which takes longer than most tests.
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';

const require = createRequire(import.meta.url);

const transformer = {
  process(_source, path, { config: { rootDir }, supportsStaticESM }) {
    const file = /\.tsx?$/.test(path) ? compiled(path, rootDir) : path;
    const module = `requireFromNode(${JSON.stringify(file)})`;
    if (!supportsStaticESM) return { code: `module.exports = ${module};` };
    const names = Object.keys(require(file));
    const taken = names.map((name) => `${name}: its_${name}`).join();
    const given = names.map((name) => `its_${name} as ${name}`).join();
    return { code: `const { ${taken} } = ${module};\nexport { ${given} };` };
  },
  // The code lists the exported names, which change with the files that a module re-exports, so it is its own cache
  // key.
  getCacheKey: (...args) => transformer.process(...args).code,
};

export default transformer;

function compiled(path, rootDir) {
  return join(rootDir, 'dist', relative(join(rootDir, 'src'), path)).replace(/tsx?$/, 'js');
}
