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
    const imports = names.map((name) => `${name}: its_${name}`).join();
    const exports = names.map((name) => `its_${name} as ${name}`).join();
    return { code: `const { ${imports} } = ${module};\nexport { ${exports} };` };
  },
  // The code lists the exported names, which also change when a re-exported file changes. So the code itself is the
  // cache key.
  getCacheKey: (...args) => transformer.process(...args).code,
};

export default transformer;

function compiled(path, rootDir) {
  return join(rootDir, 'dist', relative(join(rootDir, 'src'), path)).replace(/tsx?$/, 'js');
}
