/**
 * Builds and packs the published client: `bun scripts/build-sdk.ts [directory] [shipped]`. Default: `dist/sdk`, without facts of a
 * deployment. `shipped` is a JSON object of such facts: {@link Shipped}. The package has no dependencies. Its peers are `viem`, and `effect`
 * for the entry `effect` alone.
 */
import { copyFile, mkdir, rm } from "node:fs/promises"
import { join, resolve } from "node:path"
import tailwind from "bun-plugin-tailwind"
import packageJson from "../package.json" with { type: "json" }
import { declare } from "./client-types.ts"
import { run } from "./run.ts"

const root = join(import.meta.dirname, "..")

/** Source of each entry, without its extension. */
const ENTRIES = {
  index: "sdk/index",
  venues: "sdk/venues",
  arrivals: "sdk/arrivals",
  effect: "sdk/effect",
  react: "web/react"
} as const

/** Readers of routers' calls, by the source that exports them. */
const READERS = {
  readSwapRouter02: "SwapCall",
  readUniswapV2Call: "venues/UniswapV2",
  readUniswapV3Call: "venues/UniswapV3",
  readSolidlyCall: "venues/Solidly",
  readSlipstreamCall: "venues/Slipstream"
} as const

/** Facts of the deployment for which a package is built. */
export interface Shipped {
  /** Delegates by chain id. */
  readonly delegates?: Readonly<Record<number, string>>
  /** Names of readers by router address, by chain id. */
  readonly routers?: Readonly<Record<number, Readonly<Record<string, string>>>>
  /** EIP-712 domain name. */
  readonly domainName?: string
}

const STYLES = "styles.css"
const STYLES_TYPES = "types/styles.d.ts"

const README = `# token-sweep

The TypeScript client of the token sweep service, for browsers, Node and Bun.

\`\`\`sh
npm install token-sweep viem
\`\`\`

\`\`\`ts
import { createSweepClient } from "token-sweep"

const client = createSweepClient({
  orchestratorUrl: "https://sweep.example",
  // Accepts the delegates in SHIPPED_DELEGATES. Others: \`delegates\`, from your configuration, never from a response.
  review: { maxFeeBps: 200 }
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
so a sweep is submitted once. \`token-sweep/venues\` has the routers of more exchanges, and \`token-sweep/arrivals\` reads swaps on
arrival. Programs that use Effect import \`token-sweep/effect\`. React apps find a widget and hooks in \`token-sweep/react\`.
`

const manifest = {
  name: packageJson.name,
  version: packageJson.version,
  description: "Client of the token sweep service: quote, review, sign, submit, wait",
  license: packageJson.license,
  type: "module",
  sideEffects: ["*.css"],
  // For tools that do not read `exports`.
  main: "./index.js",
  types: "./types/sdk/index.d.ts",
  exports: {
    ...Object.fromEntries(
      Object.entries(ENTRIES).map(([entry, source]) => [
        entry === "index" ? "." : `./${entry}`,
        { types: `./types/${source}.d.ts`, default: `./${entry}.js` }
      ])
    ),
    // Compilers reject the import of a file without types.
    "./react/styles.css": { types: `./${STYLES_TYPES}`, default: `./${STYLES}` }
  },
  files: ["*.js", "*.js.map", STYLES, "types"],
  engines: { node: ">=20.3" },
  peerDependencies: {
    effect: packageJson.dependencies.effect,
    // The widget uses `use` and contexts as components, which came with React 19.
    react: "^19.0.0",
    "react-dom": "^19.0.0",
    viem: "^2.30.0"
  },
  peerDependenciesMeta: {
    effect: { optional: true },
    react: { optional: true },
    "react-dom": { optional: true }
  }
}

const sourceOf = (source: string): string => join(root, "src", `${source}.ts`)

/** Modules of the client that the pages of the app import past its main entry, to load less. The main entry exports what they have. */
const OF_CLIENT = /\/sdk\/(?:index|model\/(?:ApiErrors|Errors|SweepError)|review\/KnownBridges|sign\/Signer)\.ts$/

const WHOLE_CLIENT = `import { createSweepClient } from "./index.js"
export const serviceOf = (orchestratorUrl) => createSweepClient({ orchestratorUrl })`

/** The React entry imports the main entry of the package, so that both have the same classes of errors. */
const sharedClient: Bun.BunPlugin = {
  name: "shared-client",
  setup: (build) => {
    build.onResolve({ filter: /^\.\/index\.js$/ }, () => ({ path: "./index.js", external: true }))
    build.onResolve({ filter: OF_CLIENT }, () => ({ path: "./index.js", external: true }))
    // A client in parts would have errors of its own.
    build.onLoad({ filter: /\/web\/sweep\/service\.ts$/ }, () => ({ contents: WHOLE_CLIENT, loader: "js" }))
  }
}

/** Builds the React entry and its styles. The packages that it uses are part of it, apart from React and viem. */
const buildReact = async (out: string): Promise<void> => {
  const { outputs } = await Bun.build({
    entrypoints: [sourceOf(ENTRIES.react), join(root, "src", "web", "style.css")],
    target: "browser",
    format: "esm",
    minify: true,
    // Marks the entry for frameworks with server components.
    banner: '"use client";',
    define: { "process.env.NODE_ENV": '"production"' },
    external: ["react", "react/*", "react-dom", "react-dom/*", "viem", "viem/*"],
    plugins: [sharedClient, tailwind]
  })
  for (const output of outputs) {
    const name = output.path.replace(/.*\//, "").replace(/^style\.css$/, STYLES)
    await Bun.write(join(out, name), output)
  }
}

/** Source of a table of routers, which imports the readers that it has. */
const routersSource = (routers: NonNullable<Shipped["routers"]>): string => {
  const table = Object.entries(routers).map(([id, readers]) => {
    const entries = Object.entries(readers).map(([address, reader]) => `${JSON.stringify(address)}: ${reader}`)
    return `  ${id}: { ${entries.join(", ")} }`
  })
  const used = new Set(Object.values(routers).flatMap((readers) => Object.values(readers)))
  const imports = Object.entries(READERS).flatMap(([reader, source]) =>
    used.has(reader) ? [`import { ${reader} } from "./${source}.ts"\n`] : []
  )
  return `${imports.join("")}export const SHIPPED_ROUTERS = {\n${table.join(",\n")}\n}`
}

/** Puts the facts of the deployment in place of the sources that have none. */
const withShipped = ({ delegates = {}, domainName, routers = {} }: Shipped): Bun.BunPlugin => ({
  name: "shipped-facts",
  setup: (build) => {
    build.onLoad({ filter: /\/sdk\/review\/ShippedDelegates\.ts$/ }, () => ({
      contents: `export const SHIPPED_DELEGATES = ${JSON.stringify(delegates)}`,
      loader: "js"
    }))
    build.onLoad({ filter: /\/sdk\/review\/ShippedRouters\.ts$/ }, () => ({
      contents: routersSource(routers),
      loader: "js"
    }))
    if (domainName === undefined) return
    build.onLoad({ filter: /\/sdk\/model\/DomainName\.ts$/ }, () => ({
      contents: `export const DEFAULT_DOMAIN_NAME = ${JSON.stringify(domainName)}`,
      loader: "js"
    }))
  }
})

/** Builds the entries that need no bundler of the app: the main one, those for venues and arrivals, and that for Effect. */
export const buildEntries = async (out: string, shipped: Shipped = {}): Promise<void> => {
  await Bun.build({
    entrypoints: [ENTRIES.index, ENTRIES.venues, ENTRIES.arrivals, ENTRIES.effect].map(sourceOf),
    outdir: out,
    target: "browser",
    format: "esm",
    splitting: true,
    sourcemap: "linked",
    external: ["effect", "effect/*", "viem", "viem/*"],
    plugins: [withShipped(shipped)]
  })
}

/** Builds into `out`, and packs the result beside it. Resolves with the archive's path. */
export const build = async (out: string, shipped?: Shipped): Promise<string> => {
  await rm(out, { recursive: true, force: true })
  await mkdir(out, { recursive: true })
  await buildEntries(out, shipped)
  await buildReact(out)
  await declare(out, Object.values(ENTRIES).map(sourceOf))
  await Bun.write(join(out, STYLES_TYPES), "export {}\n")
  await Bun.write(join(out, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)
  await Bun.write(join(out, "README.md"), README)
  await copyFile(join(root, "LICENSE"), join(out, "LICENSE"))
  const archive = join(out, "..", `${manifest.name}-${manifest.version}.tgz`)
  await run([process.execPath, "pm", "pack", "--quiet", "--destination", join(out, "..")], out)
  return archive
}

if (import.meta.main) {
  const [, , directory = join(root, "dist", "sdk"), shipped = "{}"] = process.argv
  const archive = await build(resolve(directory), JSON.parse(shipped))
  process.stdout.write(`${archive}\n`)
}
