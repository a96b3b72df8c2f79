/** Compiles the contracts of this checkout, and compares the result with the code that the services contain. */
import { Effect, Equal, Schema, Stream } from "effect"
import { ChildProcess } from "effect/process"
import * as current from "../../adapters/evm/abi/contracts.generated.ts"
import { uniswapV4Router } from "../../adapters/evm/abi/routers.generated.ts"
import type { CompiledCode } from "../../adapters/evm/contracts/CodeComparison.ts"
import { Hash, Hex } from "../../domain/Hex.ts"
import { bunExecutable, projectRoot } from "../Project.ts"
import * as ProjectScript from "../ProjectScript.ts"

/** Contracts that operators deploy. */
export const SourceName = Schema.Literals(["SweepGuard", "SweepDelegate", "SweepEntry", "UniswapV4Router"])
export type SourceName = typeof SourceName.Type

const Compiled = Schema.Struct({
  creationCode: Hex,
  runtimeCode: Hex,
  immutables: Schema.Record(Schema.String, Schema.Array(Schema.Int)),
  metadataHash: Hash
})

/** Settings that decide the bytes, in the form of the compiler's standard input. */
export const CompilerSettings = Schema.Struct({
  viaIR: Schema.Boolean,
  evmVersion: Schema.String,
  optimizer: Schema.Struct({ enabled: Schema.Boolean, runs: Schema.Int }),
  metadata: Schema.Struct({ bytecodeHash: Schema.String, appendCBOR: Schema.Boolean })
})

/** Output of `contracts/fresh.ts`. */
const Compilation = Schema.Struct({
  compiler: Schema.String,
  compilerSha256: Schema.String,
  settings: CompilerSettings,
  contracts: Schema.Record(SourceName, Compiled)
})
export type Compilation = typeof Compilation.Type

/** The contracts could not be compiled. */
export class NotCompiled extends Schema.TaggedError<NotCompiled>()("NotCompiled", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

const SCRIPT = "contracts/fresh.ts"

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Compilation))

/** Compiles the sources. With `cached`, the last result of the same sources and the same compiler is taken if there is one. */
export const compile = Effect.fn("Sources.compile")(function* (cached: boolean) {
  yield* ProjectScript.present(SCRIPT)
  const handle = yield* ChildProcess.make(bunExecutable, [SCRIPT, ...(cached ? ["--cached"] : [])], {
    cwd: projectRoot,
    stdin: "ignore",
    stderr: "inherit",
    extendEnv: true
  })
  const text = yield* handle.stdout.pipe(Stream.decodeText(), Stream.mkString)
  const code = yield* handle.exitCode
  if (code !== 0) return yield* new NotCompiled({ detail: `the compiler ended with ${code}, see above` })
  return yield* decode(text).pipe(
    Effect.mapError(() => new NotCompiled({ detail: `${SCRIPT} printed something else than a compilation` }))
  )
}, Effect.scoped)

interface CheckedIn extends CompiledCode {
  readonly file: string
  readonly creationCode: Hex
}

const CONTRACTS_FILE = "src/adapters/evm/abi/contracts.generated.ts"

/** The code that the services plan deployments with. */
const CHECKED_IN: Readonly<Record<SourceName, CheckedIn>> = {
  SweepGuard: { file: CONTRACTS_FILE, ...current.sweepGuard },
  SweepDelegate: { file: CONTRACTS_FILE, ...current.sweepDelegate },
  SweepEntry: { file: CONTRACTS_FILE, ...current.sweepEntry },
  UniswapV4Router: { file: "src/adapters/evm/abi/routers.generated.ts", ...uniswapV4Router }
}

/** Comparison of the checked-in code of a contract with its compiled sources. */
export const Source = Schema.Struct({
  contract: SourceName,
  file: Schema.String,
  state: Schema.Literals(["equal", "differs"]),
  /** Fields of the checked-in code that differ. */
  differences: Schema.Array(Schema.Literals(["creationCode", "runtimeCode", "immutables"])),
  metadataHash: Hash
})
export type Source = typeof Source.Type

const FIELDS = ["creationCode", "runtimeCode", "immutables"] as const

/** Compares the checked-in code of every contract, or other code in its place, with the compilation. Pure. */
export const compare = (
  { contracts }: Compilation,
  checkedIn: Readonly<Record<SourceName, CheckedIn>> = CHECKED_IN
): ReadonlyArray<Source> =>
  SourceName.literals.map((name) => {
    const { metadataHash, ...compiled } = contracts[name]
    const ours = checkedIn[name]
    const differences = FIELDS.filter((field) => !Equal.equals(compiled[field], ours[field]))
    return {
      contract: name,
      file: ours.file,
      state: differences.length === 0 ? "equal" : "differs",
      differences,
      metadataHash
    }
  })
