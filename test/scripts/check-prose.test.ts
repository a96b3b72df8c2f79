import { assert, describe, it } from "@effect/vitest"
import { findingsOf } from "../../scripts/check-prose.ts"

const excerpts = (path: string, source: string) => findingsOf(path, source).map(({ line, text }) => `${line} ${text}`)

/** Each phrase, in a sentence of its own. */
const PHRASES = [
  "unless told",
  "as told",
  "at its word",
  "at their word",
  "the loop goes on",
  "takes home",
  "is well",
  "are well",
  "lies behind",
  "lie behind",
  "however many",
  "however long",
  "what became of",
  "what becomes of",
  "not open any more",
  "whoever",
  "for this long",
  "is told of",
  "in its stead"
]

const OPENINGS = [
  "What the relayer sends.",
  "Whether the order is settled.",
  "How long a quote lives.",
  "Where the gateway publishes its keys."
]

describe("check-prose", () => {
  it.each(PHRASES)('finds "%s" in comments, in texts of src and in Markdown', (phrase) => {
    const sentence = `It ${phrase}.`
    assert.deepStrictEqual(excerpts("test/A.ts", `/** ${sentence} */`), [`1 ${phrase}`])
    assert.deepStrictEqual(excerpts("test/A.ts", `// ${sentence.toUpperCase()}`), [`1 ${phrase.toUpperCase()}`])
    assert.deepStrictEqual(excerpts("src/A.ts", `const a = 1\nconst message = "${sentence}"`), [`2 ${phrase}`])
    assert.deepStrictEqual(excerpts("src/A.ts", "const message = `${a} " + sentence + "`"), [`1 ${phrase}`])
    assert.deepStrictEqual(excerpts("src/A.tsx", `const a = <p>${sentence}</p>`), [`1 ${phrase}`])
    assert.deepStrictEqual(excerpts("test/A.ts", `const message = "${sentence}"`), [])
    assert.deepStrictEqual(excerpts("contracts/src/A.sol", `/// @notice ${sentence}`), [`1 ${phrase}`])
    assert.deepStrictEqual(excerpts("docs/a.md", `# Title\n\n${sentence}`), [`3 ${phrase}`])
  })

  it.each(OPENINGS)('finds "%s" where a sentence begins', (sentence) => {
    assert.deepStrictEqual(excerpts("src/A.ts", `/** ${sentence} */`), [`1 ${sentence}`])
    assert.deepStrictEqual(excerpts("src/A.ts", `/**\n * ${sentence}\n */`), [`2 ${sentence}`])
    assert.deepStrictEqual(excerpts("src/A.ts", `const a = 1 // ${sentence}`), [`1 ${sentence}`])
    assert.deepStrictEqual(excerpts("src/A.ts", `// It is sent once. ${sentence}`), [`1 ${sentence}`])
    assert.deepStrictEqual(excerpts("contracts/src/A.sol", `/// @notice ${sentence}`), [`1 ${sentence}`])
    assert.deepStrictEqual(excerpts("contracts/src/A.sol", `/* ${sentence} */`), [`1 ${sentence}`])
    for (const markdown of [sentence, `- ${sentence}`, `1. ${sentence}`, `| a | ${sentence}|`]) {
      assert.deepStrictEqual(excerpts("docs/a.md", markdown), [`1 ${sentence}`], markdown)
    }
  })

  it("reads a sentence over its lines", () => {
    const source = "// The relayer keeps\n// What it sends, and a client is shown\n// how much."
    assert.deepStrictEqual(excerpts("src/A.ts", source), [])
    assert.deepStrictEqual(excerpts("src/A.ts", `/**\n * It trusts a row at\n * its word.\n */`), ["2 at its word"])
  })

  it("accepts questions, clauses that are continued, headings and code", () => {
    for (const comment of [
      "What did the node answer?",
      "Where a chain has no oracle, nothing is screened.",
      "However, it waits.",
      "A chain is well known, and `unless told` is code.",
      "No more than two."
    ]) {
      assert.deepStrictEqual(excerpts("src/A.ts", `/** ${comment} */`), [], comment)
      assert.deepStrictEqual(excerpts("docs/a.md", comment), [], comment)
    }
    assert.deepStrictEqual(excerpts("docs/a.md", "# How a sweep works\n\n```\nHow it is, unless told\n```\n"), [])
    assert.deepStrictEqual(excerpts("contracts/src/A.sol", 'string a = "https://a.b // What it is";'), [])
  })

  it("says what to write instead", () => {
    const [finding] = findingsOf("src/A.ts", "/** 15 minutes unless told. */")
    assert.match(finding?.advice ?? "", /Default: /)
  })
})
