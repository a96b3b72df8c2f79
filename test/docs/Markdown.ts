/** The documents of the repository, read for tests. */
import { readdirSync, readFileSync } from "node:fs"
import { projectRoot } from "../../src/cli/Project.ts"

const files = (directory: string, pattern: RegExp): ReadonlyArray<string> =>
  readdirSync(`${projectRoot}/${directory}`)
    .filter((name) => pattern.test(name))
    .map((name) => (directory === "." ? name : `${directory}/${name}`))

export const read = (file: string): string => readFileSync(`${projectRoot}/${file}`, "utf8")

/** Every guide. */
export const guides = files("docs", /\.md$/).toSorted()

/** Everything that is written for people and has links. */
export const documents = [...files(".", /\.md$/), ...guides, ...files("examples", /\.md$/), "llms.txt"]

export interface CodeBlock {
  readonly file: string
  /** The fence's first word. */
  readonly language: string
  /** What follows it, e.g. `run=sweep.mjs`. */
  readonly info: string
  readonly code: string
}

const FENCE = /^( *)```([a-z]*)(.*)\n([^]*?)^\1```$/gm

export const codeBlocks = (file: string): ReadonlyArray<CodeBlock> =>
  [...read(file).matchAll(FENCE)].map(([, , language = "", info = "", code = ""]) => ({
    file,
    language,
    info: info.trim(),
    code
  }))

/** The text without its code blocks. */
export const prose = (file: string): string => read(file).replaceAll(FENCE, "")

/** Anchors as GitHub makes them of headings. */
export const anchors = (file: string): ReadonlySet<string> =>
  new Set(
    [...prose(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
      heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
        .trim()
        .replaceAll(" ", "-")
    )
  )
