// Instead of the text of a file of the program or of a package, a test gets the module that Node
// itself has loaded, the compiled one for the program: once for all test files of a worker. To load
// it anew for each file, as Jest does, takes longer than the tests of most files.
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
  // The names may come from files behind this one.
  getCacheKey: (...args) => transformer.process(...args).code,
};

export default transformer;

function compiled(path, rootDir) {
  return join(rootDir, 'dist', relative(join(rootDir, 'src'), path)).replace(/tsx?$/, 'js');
}
