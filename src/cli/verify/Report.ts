/** The report of `./sweep verify-contracts`, for people and for programs. Pure. */
import { Schema } from "effect"
import { Address } from "../../domain/Address.ts"
import { ChainId } from "../../domain/ChainId.ts"
import { Hex } from "../../domain/Hex.ts"
import { facts, table } from "../Table.ts"
import { type Compilation, CompilerSettings, Source, SourceName } from "./Sources.ts"

const ContractReport = Schema.Struct({
  name: Schema.String,
  contract: SourceName,
  address: Address,
  state: Schema.Literals(["equal", "differs", "no_code"]),
  differences: Schema.Array(Schema.String),
  /** Values of the immutables: those on the chain if the code is equal, otherwise those that the settings ask for. */
  immutables: Schema.Record(Schema.String, Hex)
})
export type ContractReport = typeof ContractReport.Type

const ChainReport = Schema.Struct({
  chainId: ChainId,
  name: Schema.String,
  contracts: Schema.Array(ContractReport),
  /** Reason why the chain's contracts were not read. */
  failure: Schema.optionalKey(Schema.String)
})
export type ChainReport = typeof ChainReport.Type

export const Report = Schema.Struct({
  /** True if the checked-in code and the code of every chain are what the sources compile to. */
  ok: Schema.Boolean,
  compiler: Schema.String,
  /** SHA-256 of the compiler's program, `soljson.js`. */
  compilerSha256: Schema.String,
  settings: CompilerSettings,
  sources: Schema.Array(Source),
  chains: Schema.Array(ChainReport)
})
export type Report = typeof Report.Type

const isEqual = ({ state }: { readonly state: string }): boolean => state === "equal"

export const of = (
  { compiler, compilerSha256, settings }: Omit<Compilation, "contracts">,
  sources: ReadonlyArray<Source>,
  chains: ReadonlyArray<ChainReport>
): Report => ({
  ok:
    sources.every(isEqual) &&
    chains.every(({ contracts, failure }) => failure === undefined && contracts.every(isEqual)),
  compiler,
  compilerSha256,
  settings,
  sources,
  chains
})

const settingsLine = ({ evmVersion, metadata, optimizer, viaIR }: Report["settings"]): string =>
  [
    `EVM ${evmVersion}`,
    viaIR ? "IR pipeline" : "legacy pipeline",
    optimizer.enabled ? `optimizer with ${optimizer.runs} runs` : "no optimizer",
    metadata.appendCBOR ? `metadata appended, hash ${metadata.bytecodeHash}` : "no metadata in the code"
  ].join(", ")

const WORDS: Readonly<Record<ContractReport["state"], string>> = {
  equal: "equal",
  differs: "DIFFERS",
  no_code: "NO CODE"
}

const chainText = ({ chainId, contracts, failure, name }: ChainReport): string => {
  const title = `${name} (chain ${chainId})`
  if (failure !== undefined) return `${title}\nnot compared: ${failure}`
  const rows = contracts.map((contract) => [contract.name, contract.address, WORDS[contract.state]])
  const details = contracts.flatMap((contract) =>
    contract.differences.map((difference) => `${contract.name}: ${difference}`)
  )
  return [title, table(["contract", "address", "code"], rows), ...details].join("\n")
}

const sourceRow = ({ contract, differences, file, metadataHash, state }: Source): ReadonlyArray<string> => [
  contract,
  metadataHash,
  state === "equal" ? "equal" : `DIFFERS in ${differences.join(", ")}: ${file}`
]

const verdict = ({ chains, ok }: Report): string => {
  if (!ok) return "The code is not what the sources compile to, or could not be compared."
  return chains.length === 0
    ? "The checked-in code is what the sources compile to. There are no chains."
    : "All code is what the sources compile to."
}

/** The compiler, the checked-in code and the code of each chain. */
export const asText = (report: Report): string =>
  [
    facts([
      ["compiler", report.compiler],
      ["program", `SHA-256 ${report.compilerSha256}`],
      ["settings", settingsLine(report.settings)]
    ]),
    table(["source", "hash of the metadata", "checked-in code"], report.sources.map(sourceRow)),
    ...report.chains.map(chainText),
    verdict(report)
  ].join("\n\n")
