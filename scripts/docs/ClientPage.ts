/** The generated part of `docs/reference/sdk.md`: the client's interfaces and errors, from their declarations and comments. */
import { parseSync } from "oxc-parser"
import { table } from "./Table.ts"

const SDK = `${import.meta.dir}/../../src/sdk`

/** Interfaces of the main entry that the page lists, by the module that declares them. */
const INTERFACES: ReadonlyArray<readonly [module: string, name: string]> = [
  ["client/SweepClientOptions.ts", "SweepClientOptions"],
  ["client/SweepClient.ts", "SweepClient"],
  ["model/Sweep.ts", "SweepRequest"],
  ["model/Batch.ts", "SweepQuotesRequest"],
  ["model/Batch.ts", "TokenRequest"],
  ["review/ReviewOptions.ts", "ReviewOptions"],
  ["review/IndependentPrice.ts", "IndependentPrice"],
  ["review/KnownBridges.ts", "KnownBridge"],
  ["review/TermsReview.ts", "ReviewedTerms"],
  ["review/Review.ts", "SweepReview"],
  ["review/BatchReview.ts", "BatchReview"],
  ["client/SweepAll.ts", "SweepAllRequest"],
  ["client/SweepAll.ts", "SweepAllOptions"],
  ["client/Waiting.ts", "WaitOptions"],
  ["core/Retry.ts", "RetryOptions"],
  ["sign/Signer.ts", "SweepSigner"],
  ["client/Delegation.ts", "RevokeOptions"]
]

const ERRORS = ["model/ApiErrors.ts", "model/Errors.ts"]

interface Parsed {
  readonly source: string
  readonly comments: ReadonlyArray<{ readonly value: string; readonly start: number; readonly end: number }>
  readonly body: ReturnType<typeof parseSync>["program"]["body"]
}

const parse = async (module: string): Promise<Parsed> => {
  const source = await Bun.file(`${SDK}/${module}`).text()
  const { comments, program } = parseSync(module, source)
  return { source, comments, body: program.body }
}

/** The text of the comment that ends right before `start`, without its tags. */
const commentBefore = ({ comments, source }: Parsed, start: number): string => {
  const comment = comments.findLast(({ end }) => end <= start && source.slice(end, start).trim() === "")
  const lines = (comment?.value ?? "").split("\n").map((line) => line.replace(/^\s*\*+ ?/, "").trim())
  const end = lines.findIndex((line) => /^@(?!throws)/.test(line))
  return (end === -1 ? lines : lines.slice(0, end))
    .filter((line) => line !== "")
    .map((line) => line.replace(/^@throws \{(\w+)\}/, "Throws `$1`").replaceAll(/\{@link (\w+)\}/g, "`$1`"))
    .map((line, index, all) =>
      all[index + 1]?.startsWith("Throws") === true && !/[.!?]$/.test(line) ? `${line}.` : line
    )
    .join(" ")
}

/** A type on one line, without comments and modifiers. */
const sliced = ({ source }: Parsed, node: { readonly start: number; readonly end: number }): string =>
  source
    .slice(node.start, node.end)
    .replaceAll(/\/\*\*[^]*?\*\//g, "")
    .replaceAll("readonly ", "")
    .replaceAll(/([^{(,;\s])\s*\n\s*(?=\w+\??:)/g, "$1; ")
    .replaceAll(/\s+/g, " ")
    .replaceAll("( ", "(")
    .replaceAll(" )", ")")
    .trim()

/** Declarations of a module, exported ones included, with the place where their comment ends. */
const declarations = ({ body }: Parsed) =>
  body.flatMap((statement) =>
    statement.type === "ExportNamedDeclaration" && statement.declaration !== null
      ? [{ start: statement.start, declaration: statement.declaration }]
      : [{ start: statement.start, declaration: statement }]
  )

const interfaceSection = async ([module, name]: readonly [string, string]): Promise<string> => {
  const parsed = await parse(module)
  const found = declarations(parsed).find(
    ({ declaration }) => declaration.type === "TSInterfaceDeclaration" && declaration.id.name === name
  )
  if (found?.declaration.type !== "TSInterfaceDeclaration") throw new Error(`src/sdk/${module} declares no ${name}`)
  const rows = found.declaration.body.body.flatMap((member) => {
    if (member.type !== "TSPropertySignature" || member.key.type !== "Identifier") return []
    const type =
      member.typeAnnotation === null || member.typeAnnotation === undefined
        ? ""
        : sliced(parsed, member.typeAnnotation.typeAnnotation)
    return [[`\`${member.key.name}${member.optional ? "?" : ""}\``, `\`${type}\``, commentBefore(parsed, member.start)]]
  })
  return [
    `### ${name}`,
    "",
    commentBefore(parsed, found.start),
    "",
    table(["Member", "Type", "Meaning"], rows),
    ""
  ].join("\n")
}

const CODE = /extends (?:(?:apiError|retryLaterError)\(\s*("\w+")|SweepError<([^>]+)>)/

const errorRows = async (module: string): Promise<ReadonlyArray<ReadonlyArray<string>>> => {
  const parsed = await parse(module)
  return declarations(parsed).flatMap(({ declaration, start }) => {
    if (declaration.type !== "ClassDeclaration" || declaration.id === null || declaration.abstract) return []
    const code = CODE.exec(parsed.source.slice(declaration.start, declaration.end))
    const codes = (code?.[1] ?? code?.[2] ?? "").split("|").map((each) => `\`${each.trim().replaceAll('"', "")}\``)
    return [[`\`${declaration.id.name}\``, codes.join(", "), commentBefore(parsed, start)]]
  })
}

/** The interfaces, then the errors. */
export const clientReference = async (): Promise<string> => {
  const interfaces = await Promise.all(INTERFACES.map(interfaceSection))
  const errors = (await Promise.all(ERRORS.map(errorRows))).flat()
  return [
    ...interfaces,
    "## Errors",
    "",
    "Every rejection is a `SweepError`, or the reason of your `AbortSignal` before a submission and in a wait. Decide by class or by `code`. `retryable` says if the same call may succeed later. Errors of responses are `ApiError`s, which also have `status`, `reason` and `requestId`. Those that ask for the same request later are `RetryLaterError`s, with `retryAfterSeconds`.",
    "",
    table(["Class", "`code`", "Meaning"], errors)
  ].join("\n")
}
