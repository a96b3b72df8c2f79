/** A Redis or Valkey that is installed on this machine, which npm does not bring. */
import { Option } from "effect"
import * as Subprocess from "./Subprocess.ts"

/** Programs that speak the protocol, best known first. */
const PROGRAMS = ["redis-server", "valkey-server"] as const

/** The path of the program, or undefined if none is installed. */
export const program = (): string | undefined =>
  PROGRAMS.map((name) => Bun.which(name)).find((path) => path !== null) ?? undefined

/** Starts it on a port of loopback, without disk, until the scope closes. */
export const start = (command: string, port: number) =>
  Subprocess.start({
    name: "redis",
    command,
    args: ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"],
    ready: (line) => (line.includes("Ready to accept connections") ? Option.some(port) : Option.none())
  })
