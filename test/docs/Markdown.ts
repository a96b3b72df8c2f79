/**
 * The documents of the repository, read for tests, and their code blocks. The first words of a fence say how a test treats the
 * block:
 *
 * - `sh` runs in the page's shell, after the blocks before it.
 * - `sh background` is started before all pages and runs until the end.
 * - `sh launcher` runs in a folder with a link to the launcher, `sweep`, as the checkout has it.
 * - `sh this-run` starts this test itself.
 * - `sh live` needs keys or a public chain and does not run. Its commands and flags are checked.
 * - `js run=NAME` is saved and run by Node, `ts run=NAME` is saved, run by Bun and type-checked.
 * - `save=NAME`, in any language, is saved for the blocks after it.
 * - `js e2e=NAME` is run by a test in `test/e2e`.
 * - `text output` is compared with the output of the block before it; `…` stands for any text, also for lines left out.
 * - `json` is parsed, and with `vector=NAME` compared with a test vector.
 * - `solidity` is compiled, and compared with the contracts.
 * - `text` is not run.
 *
 * `dir=PATH` lets a block run in, or be saved to, another directory than the current one.
 */
import { readdirSync, readFileSync } from "node:fs"
import { projectRoot } from "../../src/cli/Project.ts"
import { anchorOf } from "../../src/server/shared/DocsHtml.ts"

const files = (directory: string, pattern: RegExp): ReadonlyArray<string> =>
  readdirSync(`${projectRoot}/${directory}`, { recursive: directory !== ".", encoding: "utf8" })
    .filter((name) => pattern.test(name))
    .map((name) => (directory === "." ? name : `${directory}/${name}`))
    .toSorted()

export const read = (file: string): string => readFileSync(`${projectRoot}/${file}`, "utf8")

/** The pages of `docs/`. */
export const guides = files("docs", /\.md$/)

/** Every document for people. */
export const documents = [...files(".", /\.md$/), ...guides, ...files("examples", /\.md$/), "llms.txt"]

export interface CodeBlock {
  readonly file: string
  /** The fence's first word. */
  readonly language: string
  /** The rest of the fence, such as `run=sweep.mjs`. */
  readonly info: string
  readonly code: string
}

const FENCE = /^( *)```([a-z]*)(.*)\n([^]*?)^\1```$/gm

export const codeBlocks = (file: string): ReadonlyArray<CodeBlock> =>
  [...read(file).matchAll(FENCE)].map(([, indent = "", language = "", info = "", code = ""]) => ({
    file,
    language,
    info: info.trim(),
    code: code.replaceAll(new RegExp(`^${indent}`, "gm"), "")
  }))

/** The value of `key=…` in a fence; undefined without it. */
export const option = ({ info }: CodeBlock, key: string): string | undefined =>
  new RegExp(`(?:^| )${key}=(\\S+)`).exec(info)?.[1]

/** The text without its code blocks. */
export const prose = (file: string): string => read(file).replaceAll(FENCE, "")

/** Anchors of the headings. */
export const anchors = (file: string): ReadonlySet<string> =>
  new Set([...prose(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading)))
