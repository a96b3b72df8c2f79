/**
 * Builds the web app into `dist/web`: `bun scripts/build-web.ts`. `./sweep dev` and `./sweep builder-backend` run it when what they
 * would serve is missing or older than the sources. The output holds no source of its own configuration, so one build serves
 * every deployment; for a CDN on another origin than the builder backend's, name that with `--builder-url https://…`.
 */
import tailwind from "bun-plugin-tailwind"
import { chmod, mkdtemp, readdir, rm, writeFile } from "node:fs/promises"
import { join, relative } from "node:path"
import { parseSync, Visitor } from "oxc-parser"
import { parseArgs } from "node:util"
import { brotliCompressSync, gzipSync } from "node:zlib"
import { OUTPUT, publish, STAMP_FILE, stampOf } from "../src/server/web/WebBuild.ts"
import { addPreloads } from "./ModulePreload.ts"

const root = join(import.meta.dirname, "..")

/** Name of the constants that explain the values of an enumeration. */
const MEANINGS = "MEANINGS"

/**
 * The source without the texts of `described`, of `description` annotations and of `MEANINGS`: a browser needs the schemas, and
 * only the server shows their texts.
 */
const withoutDescriptions = (path: string, source: string): string => {
  const { program } = parseSync(path, source)
  const texts: Array<{ readonly start: number; readonly end: number }> = []
  const named = new Set<string>()
  new Visitor({
    Property: ({ key, value }) => {
      if (key.type !== "Identifier" || key.name !== "description") return
      if (value.type === "Literal") texts.push(value)
      if (value.type === "Identifier") named.add(value.name)
    }
  }).visit(program)
  new Visitor({
    CallExpression: ({ arguments: [, text], callee }) => {
      if (callee.type === "Identifier" && callee.name === "described" && text !== undefined) texts.push(text)
    },
    VariableDeclarator: ({ id, init }) => {
      if (id.type !== "Identifier" || init === null) return
      if (named.has(id.name) && init.type === "Literal") texts.push(init)
      if (id.name !== MEANINGS || init.type !== "TSAsExpression" || init.expression.type !== "ObjectExpression") return
      for (const each of init.expression.properties) if (each.type === "Property") texts.push(each.value)
    }
  }).visit(program)
  return texts
    .toSorted((a, b) => b.start - a.start)
    .reduce((cut, { end, start }) => `${cut.slice(0, start)}""${cut.slice(end)}`, source)
}

/**
 * The contract carries its documentation, which only the server shows. In a browser every export of a documentation module
 * is an empty annotation, and descriptions are empty.
 */
const withoutDocumentation: Bun.BunPlugin = {
  name: "without-documentation",
  setup: (build) => {
    build.onLoad({ filter: /\/src\/api\/.*(?:Docs|Document)\.ts$/ }, async ({ path }) => {
      const names = Array.from((await Bun.file(path).text()).matchAll(/^export const (\w+)/gm), ([, name]) => name)
      const exports = names.map((name) => `export const ${name} = Context.empty()`)
      return { loader: "ts", contents: ['import { Context } from "effect"', ...exports].join("\n") }
    })
    build.onLoad({ filter: /\/src\/(?:api|domain)\/.*(?<!Docs|Document)\.ts$/ }, async ({ path }) => ({
      loader: "ts",
      contents: withoutDescriptions(path, await Bun.file(path).text())
    }))
  }
}

/** Puts the backend's url where the app looks for it. */
const withBuilderUrl = (url: string): Bun.BunPlugin => ({
  name: "with-builder-url",
  setup: (build) => {
    build.onLoad({ filter: /\/src\/web\/(?:index|sweep)\.html$/ }, async ({ path }) => ({
      loader: "html",
      contents: (await Bun.file(path).text()).replace('name="builder-url" content=""', () => {
        return `name="builder-url" content="${new URL(url).origin}"`
      })
    }))
  }
})

/**
 * Preact in the place of React, whose DOM is half of the sweep page's code. Only this app's pages: the package's widget runs in its
 * host's React.
 */
const preact: Bun.BunPlugin = {
  name: "preact",
  setup: (build) => {
    const parts: Readonly<Record<string, string>> = {
      react: "preact/compat",
      "react-dom": "preact/compat",
      "react-dom/client": "preact/compat/client",
      "react/jsx-runtime": "preact/jsx-runtime",
      "react/jsx-dev-runtime": "preact/jsx-runtime"
    }
    build.onResolve({ filter: /^react(?:-dom)?(?:\/.*)?$/ }, ({ path }) => {
      const part = parts[path]
      if (part === undefined) throw new Error(`scripts/build-web.ts names no part of Preact for ${path}`)
      return { path: Bun.resolveSync(part, root) }
    })
  }
}

/** Text shrinks to a third; a few bytes more than a packet are not worth a second form. */
const COMPRESSIBLE = /\.(?:html|js|css|svg|json)$/

const compress = async (directory: string) => {
  const names = (await readdir(directory, { recursive: true })).filter((name) => COMPRESSIBLE.test(name))
  await Promise.all(
    names.map(async (name) => {
      const content = await Bun.file(join(directory, name)).bytes()
      await writeFile(join(directory, `${name}.br`), brotliCompressSync(content))
      await writeFile(join(directory, `${name}.gz`), gzipSync(content, { level: 9 }))
    })
  )
}

const { values } = parseArgs({ options: { "builder-url": { type: "string", default: "" } } })

const output = join(root, OUTPUT)
await Bun.$`mkdir -p ${join(output, "..")}`
const fresh = await mkdtemp(`${output}-`)
try {
  /** Each page is built alone: chunks that two pages share would hold the code of both. */
  const build = (page: string) =>
    Bun.build({
      entrypoints: [join(root, "src/web", page)],
      outdir: fresh,
      target: "browser",
      minify: true,
      splitting: true,
      publicPath: "/app/",
      naming: { chunk: "assets/[name]-[hash].[ext]", asset: "assets/[name]-[hash].[ext]", entry: "[name].[ext]" },
      define: { "process.env.NODE_ENV": '"production"' },
      plugins: [
        tailwind,
        withoutDocumentation,
        preact,
        ...(values["builder-url"] === "" ? [] : [withBuilderUrl(values["builder-url"])])
      ]
    })
  const built = await Promise.all(["index.html", "sweep.html"].map(build))
  await addPreloads(fresh)
  await compress(fresh)
  await writeFile(join(fresh, STAMP_FILE), await stampOf(root))
  // Temporary directories are closed to other accounts, such as that of the service in a container.
  await chmod(fresh, 0o755)
  await publish(fresh, output)
  const scripts = built.flatMap(({ outputs }) => outputs).filter(({ path }) => path.endsWith(".js"))
  process.stdout.write(`web: ${scripts.length} scripts in ${relative(process.cwd(), output)}\n`)
} finally {
  await rm(fresh, { recursive: true, force: true })
}
