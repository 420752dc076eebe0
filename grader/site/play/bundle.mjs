// Makes one module of the editor and the packages that it imports: bundle.mjs <node_modules> <editor.mjs> <into>
import { pathToFileURL } from "node:url";

const [packages, entry, into] = process.argv.slice(2);
const { build } = await import(pathToFileURL(`${packages}/esbuild/lib/main.js`));
await build({
  entryPoints: [entry],
  nodePaths: [packages],
  outfile: `${into}/editor.js`,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  banner: { js: "/* CodeMirror 6, MIT license, copyright Marijn Haverbeke and others: https://codemirror.net */" },
  logLevel: "warning",
});
