/**
 * Runs the code blocks of README and docs as they stand, in bash and in dash, from an empty folder outside of the checkout and
 * beside one local network. `Markdown.ts` lists what a fence can say.
 */
import { writeFile } from "node:fs/promises"
import { basename, join } from "node:path"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { projectRoot } from "../../src/cli/Project.ts"
import * as Browser from "../web/Browser.ts"
import { type CodeBlock, codeBlocks, guides, option, read } from "./Markdown.ts"
import { FIRST_PAGE, Reader } from "./Reader.ts"
import { Runs } from "./Runs.ts"
import * as Session from "./Session.ts"

const SHELLS = ["dash", "bash"]

const written = ["README.md", ...guides]

/** Fences by language; an absent entry means that no test knows the block. */
const FENCES: Readonly<Record<string, RegExp>> = {
  sh: /^(?:background|launcher|this-run|live)?$/,
  js: /^(?:(?:run|save|e2e)=\S+(?: dir=\S+)?)$/,
  ts: /^(?:run|save)=\S+(?: dir=\S+)?$/,
  tsx: /^save=\S+$/,
  html: /^save=\S+$/,
  toml: /^save=\S+$/,
  json: /^(?:(?:save|vector)=\S+)?$/,
  solidity: /^$/,
  text: /^(?:output)?$/
}

describe.each(written)("%s", (file) => {
  it("has only code blocks that a test knows", () => {
    for (const { code, info, language } of codeBlocks(file)) {
      const known = FENCES[language]?.test(info) === true
      assert.isTrue(known, `${file}: \`\`\`${language} ${info}\n${code}`)
    }
  })

  it("hides no command in a text block", () => {
    for (const { code, language } of codeBlocks(file)) {
      if (language === "text") assert.notMatch(code, /^(?:\$ )?(?:\.\/)?sweep [a-z]/m, file)
    }
  })
})

/** The first page first, since it sets up the folder that the others continue in. */
const pages = [FIRST_PAGE, ...written.filter((file) => file !== FIRST_PAGE)].filter((file) =>
  Session.runs(codeBlocks(file))
)

const nameOf = (block: CodeBlock): string => option(block, "run") ?? option(block, "save") ?? ""

/** Serves the files of a directory until the scope closes. Succeeds with the URL of its `index.html`. */
const serveDirectory = (directory: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() =>
        Bun.serve({
          hostname: "127.0.0.1",
          port: 0,
          fetch: ({ url }) => new Response(Bun.file(join(directory, basename(new URL(url).pathname))))
        })
      ),
      (server) => Effect.promise(() => server.stop(true))
    ),
    ({ url }) => `${url.href}index.html`
  )

/** TypeScript programs of all pages. */
const programs = pages.flatMap((file) => codeBlocks(file).filter(({ language }) => /^tsx?$/.test(language)))

layer(Runs.layer(SHELLS, pages).pipe(Layer.provideMerge(Reader.layer(SHELLS))), {
  excludeTestServices: true,
  timeout: "5 minutes"
})("a reader", (it) => {
  for (const page of pages) {
    it.effect(
      `runs the blocks of ${page}`,
      () =>
        Effect.gen(function* () {
          const runs = yield* Runs
          for (const shell of SHELLS) {
            const { blocks, ran } = yield* runs.of({ shell, page })
            assert.strictEqual(ran.code, 0, `${shell}: ${ran.all}`)
            assert.deepStrictEqual(Session.mismatches(blocks, ran), [], shell)
          }
        }),
      600_000
    )
  }

  it.effect("has TypeScript programs that type-check", () =>
    Effect.gen(function* () {
      const { folder } = yield* Reader
      const { home } = folder("dash", "")
      const directory = join(home, "sweep-try")
      const saved = yield* Effect.promise(() =>
        Array.fromAsync(new Bun.Glob("**/*.{ts,tsx}").scan({ cwd: directory, followSymlinks: false }))
      )
      const names = new Set(programs.map(nameOf))
      const files = saved.filter((file) => names.has(basename(file)) && !file.includes("node_modules"))
      assert.strictEqual(files.length, names.size)
      const config = {
        extends: join(projectRoot, "tsconfig.json"),
        compilerOptions: {
          noEmit: true,
          types: ["bun"],
          typeRoots: [join(projectRoot, "node_modules", "@types")],
          rootDir: "/"
        },
        include: [],
        files
      }
      yield* Effect.promise(() => writeFile(join(directory, "tsconfig.json"), JSON.stringify(config)))
      const tsc = Bun.spawn(
        [process.execPath, join(projectRoot, "node_modules", "typescript", "bin", "tsc"), "-p", ".", "--checkers", "1"],
        {
          cwd: directory,
          stdout: "pipe"
        }
      )
      const out = yield* Effect.promise(() => new Response(tsc.stdout).text())
      assert.strictEqual(yield* Effect.promise(() => tsc.exited), 0, out)
    })
  )

  it.effect("sees the embedded widget list the tokens of the account", () =>
    Effect.gen(function* () {
      const { folder } = yield* Reader
      const runs = yield* Runs
      const [shell = ""] = SHELLS
      yield* runs.of({ shell, page: "docs/tutorial/embed-the-widget.md" })
      const url = yield* serveDirectory(join(folder(shell, "").home, "sweep-try", "widget", "site"))
      const browser = yield* Browser.open
      yield* Effect.promise(async () => {
        const page = await Browser.newPage(browser)
        const troubles: Array<string> = []
        page.on("pageerror", (error) => troubles.push(error.message))
        await page.goto(url)
        await page.waitForSelector("text=DAI")
        assert.deepStrictEqual(troubles, [])
      })
    }).pipe(Effect.scoped)
  )

  it.effect("leaves the checkout as it was", () =>
    Effect.gen(function* () {
      const { changes } = yield* Reader
      assert.deepStrictEqual(yield* Effect.promise(changes), [])
    })
  )
})

describe("README.md", () => {
  it("has at most 150 lines", () => {
    assert.isAtMost(read("README.md").trimEnd().split("\n").length, 150)
  })
})
