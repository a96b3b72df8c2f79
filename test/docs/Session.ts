/** A page's code blocks as one shell script, run by a given shell as a reader would: in order, from an empty folder. */
import { mkdir, rm, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { type CodeBlock, option } from "./Markdown.ts"

/** The blocks of a page that run, and the outputs that they are compared with. */
const FLAGS = /^(?:background|this-run|live|output)$/

export const isBackground = ({ info, language }: CodeBlock): boolean => language === "sh" && info === "background"

const isOutput = ({ info, language }: CodeBlock): boolean => language === "text" && info === "output"

/** True if a session uses the block. */
const isStep = (block: CodeBlock): boolean =>
  (block.language === "sh" && !FLAGS.test(block.info)) ||
  option(block, "run") !== undefined ||
  option(block, "save") !== undefined

/** True if the page has a block that a shell runs. */
export const runs = (blocks: ReadonlyArray<CodeBlock>): boolean => blocks.some(isStep)

const INTERPRETERS: Readonly<Record<string, string>> = { js: "node", ts: "bun" }

/** A link to the launcher, since the page stands in the checkout. */
const LINK = "ln -sfn ~/token-sweep/sweep sweep\n"

/** The shell code of a block. Its own code is run as it stands; a program is first saved under its name. */
const stepOf = (block: CodeBlock, source: string): string => {
  const directory = option(block, "dir")
  const enter = directory === undefined ? "" : `cd ${directory}\n`
  const name = option(block, "run") ?? option(block, "save")
  if (name === undefined) return `${enter}${block.info === "launcher" ? LINK : ""}${block.code}`
  const interpreter = option(block, "run") === undefined ? "" : `\n${INTERPRETERS[block.language]} ${name}`
  return `${enter}cp "${source}" ${name}${interpreter}\n`
}

const MARK = /^@@ block (\d+) @@$/m

export interface Folder {
  /** `HOME` of the session. */
  readonly home: string
  /** Working directory at the start of the session. */
  readonly start: string
  /** Directory of the script and of the sources of programs. */
  readonly scratch: string
  /** Bundle that the launcher runs. Default: the sources. */
  readonly program?: string
}

export interface Ran {
  readonly code: number
  readonly all: string
  /** Output by the block's index. */
  readonly outputs: ReadonlyMap<number, string>
}

/** The session's own `bun`: npm installs the program under another name where it runs install scripts. */
const programsOf = ({ scratch }: Folder): string => join(scratch, "bin")

/** `bun --bun` puts itself before Node in `PATH`; a reader's `node` is Node. */
const searchPath = (folder: Folder): string =>
  [programsOf(folder), ...(process.env["PATH"] ?? "").split(":").filter((path) => !/\/bun-node/.test(path))].join(":")

const env = (folder: Folder): Record<string, string> => ({
  HOME: folder.home,
  PATH: searchPath(folder),
  TMPDIR: folder.scratch,
  LANG: "C.UTF-8",
  ...(folder.program === undefined ? {} : { SWEEP_PROGRAM: folder.program })
})

/** Writes the script of a page's blocks, up to `last` if it is given. */
export const write = async (
  folder: Folder,
  blocks: ReadonlyArray<CodeBlock>,
  last: (block: CodeBlock) => boolean = () => false
): Promise<string> => {
  const programs = programsOf(folder)
  await Promise.all([mkdir(programs, { recursive: true }), mkdir(folder.start, { recursive: true })])
  const bun = join(programs, "bun")
  await rm(bun, { force: true })
  await symlink(process.execPath, bun)
  const end = blocks.findIndex(last)
  const steps = await Promise.all(
    blocks.slice(0, end === -1 ? blocks.length : end + 1).map(async (block, index) => {
      if (!isStep(block) && !last(block)) return ""
      const source = join(folder.scratch, `block-${index}`)
      await writeFile(source, block.code)
      return `printf '\\n@@ block ${index} @@\\n'\n${stepOf(block, source)}`
    })
  )
  const script = join(folder.scratch, "page.sh")
  await writeFile(script, `exec 2>&1\n${steps.join("")}`)
  return script
}

/** Starts a script in a process group of its own, so that nothing it starts can outlive the test. */
export const start = (shell: string, script: string, folder: Folder) =>
  Bun.spawn([shell, "-eu", script], {
    cwd: folder.start,
    env: env(folder),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "inherit",
    detached: true
  })

/** Ends a process group; it may have ended already. */
export const endGroup = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-pid, signal)
  } catch {
    // No process is left in the group.
  }
}

/** Only to end a page that hangs: a busy machine must not make it red. */
const PATIENCE_MILLIS = 300_000

/** Runs a page's blocks to their end. */
export const run = async (shell: string, folder: Folder, blocks: ReadonlyArray<CodeBlock>): Promise<Ran> => {
  const child = start(shell, await write(folder, blocks), folder)
  const timeout = setTimeout(() => endGroup(child.pid, "SIGKILL"), PATIENCE_MILLIS)
  const [all, code] = await Promise.all([new Response(child.stdout).text(), child.exited])
  clearTimeout(timeout)
  endGroup(child.pid, "SIGKILL")
  const [, ...parts] = all.split(MARK)
  const outputs = new Map<number, string>()
  for (let at = 0; at + 1 < parts.length; at += 2) outputs.set(Number(parts[at]), parts[at + 1] ?? "")
  return { code, all, outputs }
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)

const pattern = (code: string): RegExp =>
  new RegExp(
    code
      .trim()
      .split("\n")
      .map((line) => line.trim())
      .map((line) => (line === "…" ? "[^]*?" : `^[ \\t]*${line.split("…").map(escaped).join(".*?")}[ \\t]*$`))
      .join(String.raw`\s*`),
    "m"
  )

/** The `text output` blocks that the run's output does not have, each with what was there instead. */
export const mismatches = (blocks: ReadonlyArray<CodeBlock>, { outputs }: Ran): ReadonlyArray<string> =>
  blocks.flatMap((block, index) => {
    if (!isOutput(block)) return []
    const before = blocks.findLastIndex((other, at) => at < index && isStep(other))
    const output = outputs.get(before) ?? ""
    return pattern(block.code).test(output) ? [] : [`expected\n${block.code}\nin\n${output}`]
  })
