/**
 * Builds and packs the published client: `bun scripts/build-sdk.ts [directory]`. Default: `dist/sdk`. The package has no
 * dependencies. Its peers are `viem`, and `effect` for the entry `effect` alone.
 */
import { copyFile, mkdir, rm } from "node:fs/promises"
import { join, resolve } from "node:path"
import packageJson from "../package.json" with { type: "json" }

const root = join(import.meta.dirname, "..")

const ENTRIES = ["index", "effect"] as const

const README = `# token-sweep

The TypeScript client of the token sweep service, for browsers, Node and Bun.

\`\`\`sh
npm install token-sweep viem
\`\`\`

\`\`\`ts
import { createSweepClient } from "token-sweep"

const client = createSweepClient({
  orchestratorUrl: "https://sweep.example",
  // The account will run the delegate: take it from the operator's publication, never from a response.
  review: { delegates: { 8453: "0x…" }, maxFeeBps: 200 }
})
const result = await client.sweep(
  { owner: account.address, tokenIn, amountIn: 25_000000n, tokenOut, destChainId: 8453, minAmountOut },
  account, // a viem local account, or another SweepSigner
  { confirm: (review) => askTheUser(review), onProgress: ({ status }) => show(status) }
)
\`\`\`

A whole wallet, on all chains, takes one signature:

\`\`\`ts
const swept = await client.sweepAll({ owner: account.address, token: tokenOut, to: { chainId: 8453 } }, account, {
  confirm: (review) => askTheUser(review),
  onEvent: (event) => show(event)
})
\`\`\`

Before anything is signed, the client compares the order with the request, field by field. \`review\` holds the facts that the user
must see. Every rejection is a \`SweepError\` with a \`code\`. Quotes and submissions have an idempotency key and are retried under it,
so a sweep is submitted once. Programs that use Effect import \`token-sweep/effect\`.
`

const manifest = {
  name: packageJson.name,
  version: packageJson.version,
  description: "Client of the token sweep service: quote, review, sign, submit, wait",
  license: packageJson.license,
  type: "module",
  sideEffects: false,
  // For tools that do not read `exports`.
  main: "./index.js",
  types: "./types/sdk/index.d.ts",
  exports: Object.fromEntries(
    ENTRIES.map((entry) => [
      entry === "index" ? "." : `./${entry}`,
      { types: `./types/sdk/${entry}.d.ts`, default: `./${entry}.js` }
    ])
  ),
  files: ["*.js", "*.js.map", "types"],
  engines: { node: ">=20.3" },
  peerDependencies: { effect: packageJson.dependencies.effect, viem: "^2.30.0" },
  peerDependenciesMeta: { effect: { optional: true } }
}

const run = async (command: ReadonlyArray<string>, cwd: string): Promise<void> => {
  const child = Bun.spawn([...command], { cwd, stdout: "pipe", stderr: "pipe" })
  const [out, error, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited
  ])
  if (code !== 0) throw new Error(`${command.join(" ")}\n${out}${error}`)
}

/** Declarations import modules with the extension `.ts`, which TypeScript resolves only since 5.7. */
const withJsExtensions = (declarations: string): string =>
  declarations.replaceAll(/(from |import\()("\.{1,2}\/[^"]+)\.ts"/g, '$1$2.js"')

const declare = async (out: string): Promise<void> => {
  const config = join(out, "tsconfig.json")
  await Bun.write(
    config,
    JSON.stringify({
      extends: join(root, "tsconfig.json"),
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        types: [],
        rootDir: join(root, "src"),
        outDir: join(out, "types")
      },
      include: [],
      files: ENTRIES.map((entry) => join(root, "src", "sdk", `${entry}.ts`))
    })
  )
  await run([process.execPath, join(root, "node_modules", "typescript", "bin", "tsc"), "-p", config], root)
  await rm(config)
  for await (const path of new Bun.Glob("**/*.d.ts").scan({ cwd: join(out, "types"), absolute: true })) {
    await Bun.write(path, withJsExtensions(await Bun.file(path).text()))
  }
}

/** Builds into `out`, and packs the result beside it. Resolves with the archive's path. */
export const build = async (out: string): Promise<string> => {
  await rm(out, { recursive: true, force: true })
  await mkdir(out, { recursive: true })
  await Bun.build({
    entrypoints: ENTRIES.map((entry) => join(root, "src", "sdk", `${entry}.ts`)),
    outdir: out,
    target: "browser",
    format: "esm",
    splitting: true,
    sourcemap: "linked",
    external: ["effect", "effect/*", "viem", "viem/*"]
  })
  await declare(out)
  await Bun.write(join(out, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)
  await Bun.write(join(out, "README.md"), README)
  await copyFile(join(root, "LICENSE"), join(out, "LICENSE"))
  const archive = join(out, "..", `${manifest.name}-${manifest.version}.tgz`)
  await run([process.execPath, "pm", "pack", "--quiet", "--destination", join(out, "..")], out)
  return archive
}

if (import.meta.main) {
  const archive = await build(resolve(process.argv[2] ?? join(root, "dist", "sdk")))
  process.stdout.write(`${archive}\n`)
}
