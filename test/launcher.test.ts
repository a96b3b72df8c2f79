/** The launcher under fake programs: what it runs, what it asks for, and what it says when something is missing. */
import { spawn, spawnSync } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterEach, assert, beforeEach, describe, it } from "vitest"

/** Each shell of this machine once: /bin/sh is dash on Debian, and bash on macOS. */
const SHELLS = [
  ...new Set(["/bin/sh", "/bin/dash", "/bin/bash"].filter(existsSync).map((shell) => realpathSync(shell)))
]

/** POSIX tools that the launcher may use; anything else is missing from its PATH. */
const TOOLS = ["awk", "cat", "cksum", "dirname", "mkdir", "readlink", "rm", "rmdir", "sed", "sleep", "uname"]

/** Answers `--version`, counts installations, and otherwise prints how it was called. */
const bun = (version: string) => `
case $1 in
  --version) echo ${version} ;;
  install) echo run >>installs; sleep 0.1; mkdir -p node_modules ;;
  *) echo "bun ${version}: $*" ;;
esac`

/** Puts a bun of the asked version where the npm package does. */
const npm = `
case $1 in
  --version) echo 11.0.0 ;;
  install)
    target=$3/node_modules/bun/bin
    mkdir -p "$target"
    printf '#!/bin/sh\\n%s\\n' '${bun("1.4.5").replaceAll("'", "'\\''")}' >"$target/bun.exe"
    chmod +x "$target/bun.exe" ;;
esac`

const SRC = join(import.meta.dirname, "../src")

/** Sources that a program writes, relative to the checkout. */
const GENERATED = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".generated.ts"))
  .map((file) => join("src", file))

let root: string
let bin: string
let checkout: string

const main = () => join(realpathSync(checkout), "src/main.ts")

const program = (name: string, body: string) => {
  writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`)
  chmodSync(join(bin, name), 0o755)
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "sweep-launcher-"))
  bin = join(root, "bin")
  checkout = join(root, "check out")
  mkdirSync(bin)
  mkdirSync(join(checkout, "patches"), { recursive: true })
  for (const tool of [...TOOLS, "chmod"]) {
    const path = ["/usr/bin", "/bin"].map((directory) => join(directory, tool)).find((file) => existsSync(file))
    if (path === undefined) throw new Error(`${tool} is not on this machine`)
    symlinkSync(path, join(bin, tool))
  }
  copyFileSync(join(import.meta.dirname, "../sweep"), join(checkout, "sweep"))
  writeFileSync(join(checkout, "package.json"), '{\n  "packageManager": "bun@1.4.5"\n}\n')
  writeFileSync(join(checkout, "bun.lock"), "locked")
  writeFileSync(join(checkout, "patches/one.patch"), "patch")
  for (const file of GENERATED) {
    mkdirSync(join(checkout, dirname(file)), { recursive: true })
    writeFileSync(join(checkout, file), "")
  }
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

const launch = (shell: string, ...args: ReadonlyArray<string>) => {
  const { status, stderr, stdout } = spawnSync(shell, [join(checkout, "sweep"), ...args], {
    cwd: "/",
    env: { PATH: bin, HOME: root },
    encoding: "utf8"
  })
  return { status, stdout, stderr }
}

/** Number of installations that the fake Bun was asked for. */
const installs = () => {
  const file = join(checkout, "installs")
  return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n").length : 0
}

describe.each(SHELLS)("sweep under %s", (shell) => {
  it("installs dependencies once, and then is quiet", () => {
    program("bun", bun("1.4.5"))
    assert.deepStrictEqual(launch(shell, "dev", "--dir", "a b"), {
      status: 0,
      stdout: `bun 1.4.5: ${main()} dev --dir a b\n`,
      stderr: "sweep: installing dependencies ...\n"
    })
    assert.deepStrictEqual(launch(shell, "demo"), { status: 0, stdout: `bun 1.4.5: ${main()} demo\n`, stderr: "" })
    assert.strictEqual(installs(), 1)
  })

  it.each(["bun.lock", "package.json", "patches/one.patch"])("installs again when %s changes", (file) => {
    program("bun", bun("1.4.5"))
    launch(shell)
    writeFileSync(join(checkout, file), '{ "packageManager": "bun@1.4.4" }')
    assert.include(launch(shell).stderr, "installing dependencies")
    assert.strictEqual(installs(), 2)
  })

  it("takes a newer Bun from PATH", () => {
    program("bun", bun("1.10.0"))
    assert.strictEqual(launch(shell, "help").stdout, `bun 1.10.0: ${main()} help\n`)
  })

  it.each(["1.4.4", "1.3.9", "0.9.9", "1.4.4-canary.1"])("installs its own Bun when PATH has %s", (version) => {
    program("bun", bun(version))
    program("npm", npm)
    const first = launch(shell, "help")
    assert.strictEqual(first.stdout, `bun 1.4.5: ${main()} help\n`)
    assert.include(first.stderr, "sweep: installing Bun 1.4.5 ...\n")
    assert.strictEqual(launch(shell, "help").stderr, "")
  })

  it("says in one sentence that npm is missing", () => {
    const { status, stderr } = launch(shell)
    assert.strictEqual(status, 1)
    assert.strictEqual(
      stderr,
      "sweep: Bun 1.4.5 or Node.js with npm is needed: install Node.js from https://nodejs.org and try again.\n"
    )
    assert.isFalse(existsSync(join(checkout, ".bun/lock")))
  })

  it.each(GENERATED)("says how to write %s when it is missing", (file) => {
    program("bun", bun("1.4.5"))
    launch(shell)
    rmSync(join(checkout, file))
    assert.deepStrictEqual(launch(shell, "dev"), {
      status: 1,
      stdout: "",
      stderr: `sweep: ${file} is missing. Write it again: (cd '${realpathSync(checkout)}' && bun contracts/generate.ts)\n`
    })
  })

  it("says the same when npm is there but Node.js is not", () => {
    program("npm", "exit 127")
    assert.include(launch(shell).stderr, "Node.js with npm is needed")
  })

  it("shows what npm said when it fails", () => {
    program("npm", 'if [ "$1" = install ]; then echo "no network" >&2; exit 1; fi')
    const { status, stderr } = launch(shell)
    assert.strictEqual(status, 1)
    assert.strictEqual(
      stderr,
      "sweep: installing Bun 1.4.5 ...\nno network\nsweep: npm could not install Bun 1.4.5 (see above).\n"
    )
  })

  it("does not take a failed installation for a finished one", () => {
    program("bun", `case $1 in --version) echo 1.4.5 ;; install) mkdir -p node_modules; exit 1 ;; esac`)
    assert.strictEqual(launch(shell).status, 1)
    program("bun", bun("1.4.5"))
    assert.strictEqual(launch(shell).status, 0)
    assert.strictEqual(installs(), 1)
  })

  it("leaves the caller's directory to the command", () => {
    program("bun", `case $1 in --version) echo 1.4.5 ;; install) mkdir -p node_modules ;; *) pwd ;; esac`)
    const { stdout } = spawnSync(shell, [join(checkout, "sweep")], { cwd: bin, env: { PATH: bin }, encoding: "utf8" })
    assert.strictEqual(stdout, `${realpathSync(bin)}\n`)
  })

  it("runs the bundle that SWEEP_PROGRAM names in the place of the sources", () => {
    program("bun", bun("1.4.5"))
    launch(shell)
    const launched = (bundle: string) =>
      spawnSync(shell, [join(checkout, "sweep"), "a b"], {
        env: { PATH: bin, SWEEP_PROGRAM: bundle },
        encoding: "utf8"
      }).stdout
    assert.strictEqual(launched("/a bundle/main.js"), "bun 1.4.5: /a bundle/main.js a b\n")
    assert.strictEqual(launched(""), `bun 1.4.5: ${main()} a b\n`)
  })

  it("works through symbolic links", () => {
    program("bun", bun("1.4.5"))
    symlinkSync("check out/sweep", join(root, "relative"))
    symlinkSync(join(root, "relative"), join(bin, "sweep"))
    const { stdout } = spawnSync(shell, [join(bin, "sweep"), "x"], { cwd: "/", env: { PATH: bin }, encoding: "utf8" })
    assert.strictEqual(stdout, `bun 1.4.5: ${main()} x\n`)
  })

  it("installs once when two start at the same time", async () => {
    program("bun", bun("1.4.5"))
    const run = () =>
      new Promise<number | null>((resolve) => {
        spawn(shell, [join(checkout, "sweep")], { env: { PATH: bin }, stdio: "ignore" }).on("exit", resolve)
      })
    assert.deepStrictEqual(await Promise.all([run(), run(), run()]), [0, 0, 0])
    assert.strictEqual(installs(), 1)
    assert.isFalse(existsSync(join(checkout, ".bun/lock")))
  })

  it("removes the lock of one that was killed", () => {
    program("bun", bun("1.4.5"))
    const gone = spawnSync("/bin/true").pid
    mkdirSync(join(checkout, ".bun/lock"), { recursive: true })
    writeFileSync(join(checkout, ".bun/lock/pid"), `${gone}\n`)
    assert.strictEqual(launch(shell).status, 0)
    assert.strictEqual(installs(), 1)
    assert.isFalse(existsSync(join(checkout, ".bun/lock")))
  })

  it("passes signals and the exit code on, since it becomes the program", () => {
    program("bun", `case $1 in --version) echo 1.4.5 ;; install) mkdir -p node_modules ;; *) kill -TERM $$ ;; esac`)
    const { signal } = spawnSync(shell, [join(checkout, "sweep")], { env: { PATH: bin } })
    assert.strictEqual(signal, "SIGTERM")
  })
})
