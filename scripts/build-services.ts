/**
 * Bundles the command line with both services, for the image: `bun scripts/build-services.ts [DIRECTORY]`. Default:
 * `dist/services`. The bundle leaves out the native library of signatures, which the image has beside it, and the packages of the
 * local network, which it lacks.
 */
import { rm } from "node:fs/promises"
import { join, relative, resolve } from "node:path"

const root = join(import.meta.dirname, "..")
const output = resolve(process.argv[2] ?? join(root, "dist/services"))

/** A package with a compiled program, which finds it beside its own files. */
const NATIVE = "secp256k1"

/** The local network of `./sweep dev`, which runs from a checkout. */
const LOCAL_NETWORK = "@nomicfoundation/edr"

/** Modules find files of the project beside their own place in `src`, which a bundle does not keep. */
const withPlaces: Bun.BunPlugin = {
  name: "with-places",
  setup: (build) => {
    build.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
      const place = `new URL(${JSON.stringify(relative(output, path))}, import.meta.url).href`
      return { loader: "ts", contents: (await Bun.file(path).text()).replaceAll("import.meta.url", place) }
    })
  }
}

await rm(output, { recursive: true, force: true })
const { outputs } = await Bun.build({
  entrypoints: [join(root, "src/main.ts")],
  outdir: output,
  target: "bun",
  // A command loads only what it needs. Names are kept, because stack traces and log lines show them.
  splitting: true,
  external: [`${NATIVE}/*`, LOCAL_NETWORK],
  plugins: [withPlaces]
})
const bytes = outputs.reduce((sum, { size }) => sum + size, 0)
process.stdout.write(
  `services: ${outputs.length} files, ${(bytes / 1e6).toFixed(1)} MB in ${relative(process.cwd(), output)}\n`
)
