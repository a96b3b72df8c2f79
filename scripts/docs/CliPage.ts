/** `docs/reference/cli.md`: every command with its arguments and flags, from the command tree's own help. */
import { Effect, Option } from "effect"
import { type CommandHelp, commandHelp } from "./CommandHelp.ts"
import { GENERATED, table } from "./Table.ts"

const text = (description: Option.Option<string>): string => Option.getOrElse(description, () => "")

interface Described {
  readonly required: boolean
  readonly description: Option.Option<string>
}

/** The help says of flags that may be absent or repeated that they are required. Their descriptions tell the default, or that they repeat. */
const isRequired = ({ description, required }: Described): boolean =>
  required && !/default:|several times/i.test(text(description))

const section = ({ doc, path }: CommandHelp): ReadonlyArray<string> => {
  const flags = doc.flags.map((flag) => [
    [`--${flag.name}`, ...flag.aliases].map((name) => `\`${name}\``).join(", "),
    flag.type,
    `${text(flag.description)}${isRequired(flag) ? ". Required" : ""}`
  ])
  const args = (doc.args ?? []).map((arg) => [
    `\`${arg.name}\`${arg.variadic ? "…" : ""}`,
    arg.type,
    `${text(arg.description)}${isRequired(arg) ? ". Required" : ""}`
  ])
  const examples = (doc.examples ?? []).map(({ command, description = "" }) => [
    `\`${command.replace(/(^| )sweep /, "$1./sweep ")}\``,
    description
  ])
  const rows = [...args, ...flags]
  return [
    `${path.length > 1 ? "###" : "##"} sweep ${path.join(" ")}`,
    "",
    `${doc.description}.`,
    "",
    ...(rows.length === 0 ? [] : [table(["Argument or flag", "Type", "Meaning"], rows), ""]),
    ...(examples.length === 0 ? [] : [table(["Example", "Effect"], examples), ""])
  ]
}

/** The page as Markdown. */
export const cliPage: Effect.Effect<string> = Effect.gen(function* () {
  const [root, ...commands] = yield* commandHelp
  const summary = commands.filter(({ path }) => path.length === 1)
  return [
    "# Command line",
    "",
    GENERATED,
    "",
    `For people who run \`./sweep\`: every command with its arguments and flags. ${root?.doc.description ?? ""}.`,
    "",
    "`--help` on any command prints the same, and `--version` prints the version. A command exits with 0 on success and with 1 on a failure, which it explains in one line on standard error. Settings come from the environment: see [settings](settings.md).",
    "",
    table(
      ["Command", "Purpose"],
      summary.map(({ doc, path }) => [`[\`sweep ${path.join(" ")}\`](#sweep-${path.join("-")})`, doc.description])
    ),
    "",
    ...commands.flatMap(section)
  ].join("\n")
})
