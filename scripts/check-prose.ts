/**
 * Finds wording that readers stumble over, in comments, in the texts of `src` and in Markdown: sentences that are only a noun
 * phrase ("What the relayer sends.") and a few phrases that have a plain equivalent. Run by the gate:
 * `bun scripts/check-prose.ts`.
 */
import { join } from "node:path"
import { parseSync, Visitor } from "oxc-parser"

export interface Finding {
  readonly line: number
  readonly text: string
  readonly advice: string
}

/** A run of prose, with the offset of its first character in the file. */
interface Passage {
  readonly start: number
  readonly text: string
}

const NOUN_PHRASE = /^(?:What|Whether|How)\b|^Where\b(?![^.]*,)/
const NOUN_PHRASE_ADVICE = "is a noun phrase: begin with a subject or an imperative"

/** Phrases with a plain equivalent, in any letter case. */
const PHRASES: ReadonlyArray<readonly [pattern: RegExp, advice: string]> = [
  [/\b(?:unless|until|if|as|than) told\b/, 'say "by default", or "Default: …"'],
  [/\bat (?:its|their|his) word\b/, 'say "is trusted" or "is not validated again"'],
  [/\bthe loop goes on\b/, 'say "the loop continues"'],
  [/\b(?:takes?|taken|took) home\b/, 'say "downloads" or "exports"'],
  [/\b(?:is|are|was|were) well(?=[.,;:]|$| (?:and|when|while|if|or|again)\b)/, 'say "is healthy" or "is valid"'],
  [/\b(?:lies|lie|lay|lying) behind\b/, 'name the relation: "is caused by", "is served by", "is older than"'],
  [/\bhowever (?:many|much|long|often|far|few)\b/, 'say "any number of" or "regardless of"'],
  [/\bwhat (?:became|becomes|has become) of\b/, 'say "the outcome of"'],
  [/\bnot (?:\w+ ){0,2}any more\b/, 'say "no longer"'],
  [/\bwhoever\b/, 'name the person or the program: "the caller", "anyone who"'],
  [/\b(?:after|for|in|within) this long\b/, 'name the unit: "Timeout. Default: 15 minutes."'],
  [/\b(?:is|are|was|were|be) (?:\w+ )?told of\b/, 'say "receives", "is notified of" or "is configured with"'],
  [/\bin (?:its|their|his) stead\b/, 'say "instead"']
]

/** Sentences of a passage, with their offsets in it. Abbreviations such as "e.g." do not end one. */
const sentencesOf = (text: string): ReadonlyArray<Passage> =>
  Array.from(text.matchAll(/\S[^]*?(?:(?<!\b(?:e\.g|i\.e|etc|vs))[.!?](?=\s)|$)/g), ({ 0: sentence, index }) => ({
    start: index,
    text: sentence
  }))

const nounPhrases = ({ start, text }: Passage) =>
  sentencesOf(text)
    .filter((sentence) => NOUN_PHRASE.test(sentence.text) && !sentence.text.endsWith("?"))
    .map((sentence) => ({ at: start + sentence.start, text: sentence.text, advice: NOUN_PHRASE_ADVICE }))

/** A phrase may continue on the next line. */
const acrossLines = (pattern: RegExp): RegExp => new RegExp(pattern.source.replaceAll(" ", "\\s+"), "gi")

const phrases = ({ start, text }: Passage) =>
  PHRASES.flatMap(([pattern, advice]) =>
    Array.from(text.matchAll(acrossLines(pattern)), ({ 0: found, index }) => ({
      at: start + index,
      text: found,
      advice
    }))
  )

const excerpt = (text: string): string =>
  text
    .split(/\s+(?:(?:\*|\/\/\/?)\s+)?/)
    .slice(0, 8)
    .join(" ")

const asFindings = (
  source: string,
  found: ReadonlyArray<{ readonly at: number; readonly text: string; readonly advice: string }>
): ReadonlyArray<Finding> =>
  found
    .toSorted((a, b) => a.at - b.at)
    .map(({ advice, at, text }) => ({
      line: source.slice(0, at).split("\n").length,
      text: excerpt(source.slice(at, at + text.length)),
      advice
    }))

/** Blanks with spaces, so that offsets stay. Line breaks stay too. */
const blank = (text: string): string => text.replace(/[^\n]/g, " ")

/** The text of a comment without its markers. Code in backticks is not prose. */
const proseOf = (comment: string): string =>
  comment
    .replace(/^\/\*\*?|\*\/$/g, blank)
    .replace(/^[ \t]*(?:\*|\/\/\/?)/gm, blank)
    .replace(/`[^`\n]*`/g, (code) => "`".repeat(code.length))

/** A run of line comments on consecutive lines is one passage, since their sentences continue over the lines. */
const joined = (source: string, comments: ReadonlyArray<Passage>): ReadonlyArray<Passage> => {
  const passages: Array<Passage> = []
  for (const comment of comments) {
    const last = passages.at(-1)
    const between = last === undefined ? undefined : source.slice(last.start + last.text.length, comment.start)
    const isContinued =
      last !== undefined && between !== undefined && /^[ \t]*\n[ \t]*$/.test(between) && comment.text.startsWith("//")
    if (isContinued && last.text.startsWith("//")) {
      passages[passages.length - 1] = { start: last.start, text: last.text + between + comment.text }
    } else passages.push(comment)
  }
  return passages.map(({ start, text }) => ({ start, text: proseOf(text) }))
}

/** Comments of a TypeScript module, and the words of its string literals. */
const inTypeScript = (path: string, source: string) => {
  const { comments, program } = parseSync(path, source)
  const prose = joined(
    source,
    comments.map(({ end, start }) => ({ start, text: source.slice(start, end) }))
  )
  const strings: Array<Passage> = []
  new Visitor({
    Literal: ({ start, value }) => {
      if (typeof value === "string") strings.push({ start: start + 1, text: value })
    },
    TemplateElement: ({ start, value }) => {
      strings.push({ start: start + 1, text: value.raw })
    },
    JSXText: ({ start, value }) => {
      strings.push({ start, text: value })
    }
  }).visit(program)
  const texts = path.startsWith("src/") ? strings.filter(({ text }) => text.includes(" ")) : []
  return [...prose.flatMap(nounPhrases), ...[...prose, ...texts].flatMap(phrases)]
}

/** Comments of a Solidity source. A string or a comment is consumed whole, so that neither begins inside the other. */
const inSolidity = (source: string) => {
  const tokens = Array.from(
    source.matchAll(/"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\/\/[^\n]*|\/\*[^]*?\*\//g),
    ({ 0: text, index }) => ({ start: index, text })
  )
  const prose = joined(
    source,
    tokens.filter(({ text }) => text.startsWith("/"))
  ).map(({ start, text }) => ({ start, text: text.replace(/@\w+/g, blank) }))
  return [...prose.flatMap(nounPhrases), ...prose.flatMap(phrases)]
}

/** Paragraphs, list entries and table cells. Code, headings and comments are left out. */
const inMarkdown = (source: string) => {
  const prose = source
    .replace(/^( *)(```|~~~)[^]*?^\1\2/gm, blank)
    .replace(/<!--[^]*?-->/g, blank)
    .replace(/^#.*$/gm, blank)
    .replace(/`[^`\n]*`/g, (code) => "`".repeat(code.length))
  const passages = Array.from(
    prose.matchAll(/(?:^[ \t]*(?:[-*>|]|\d+\.)?[ \t]*|\|[ \t]*)(\S(?:[^|\n]|\n(?![ \t]*(?:[-*>|]|\d+\.|\n)))*)/gm),
    ({ 0: whole, 1: text = "", index }) => ({ start: index + whole.length - text.length, text })
  )
  return [...passages.flatMap(nounPhrases), ...phrases({ start: 0, text: prose })]
}

/** Everything to reword in one file, in the order of its lines. */
export const findingsOf = (path: string, source: string): ReadonlyArray<Finding> => {
  if (path.endsWith(".md")) return asFindings(source, inMarkdown(source))
  return asFindings(source, path.endsWith(".sol") ? inSolidity(source) : inTypeScript(path, source))
}

/** This check and its test hold the phrases themselves. */
const EXEMPT = new Set(["scripts/check-prose.ts", "test/scripts/check-prose.test.ts"])

const PLACES = [
  "{src,scripts,bench,chaos,test,examples}/**/*.{ts,tsx}",
  "contracts/{src,test,script}/**/*.sol",
  "contracts/*.{ts,md}",
  "{docs,examples}/**/*.md",
  "*.md"
]

/** The files to read, by path from the project's root. */
const pathsOf = async (root: string): Promise<ReadonlyArray<string>> => {
  const found = await Promise.all(PLACES.map((place) => Array.fromAsync(new Bun.Glob(place).scan({ cwd: root }))))
  return found
    .flat()
    .filter((path) => !path.includes("node_modules") && !path.includes(".generated.") && !EXEMPT.has(path))
    .toSorted()
}

if (import.meta.main) {
  const root = join(import.meta.dirname, "..")
  const paths = await pathsOf(root)
  const found = await Promise.all(
    paths.map(async (path) =>
      findingsOf(path, await Bun.file(join(root, path)).text()).map(
        ({ advice, line, text }) => `${path}:${line}: "${text}" ${advice}`
      )
    )
  )
  for (const finding of found.flat()) process.stderr.write(`${finding}\n`)
  process.stdout.write(`prose: ${paths.length} files, ${found.flat().length} findings\n`)
  process.exitCode = found.flat().length === 0 ? 0 : 1
}
