/** Reads the contracts of a chain, and compares their code with what the sources compile to. */
import { Effect } from "effect"
import { chainOf, deploymentOf } from "../../adapters/evm/chains/ChainSettings.ts"
import * as CodeComparison from "../../adapters/evm/contracts/CodeComparison.ts"
import type { Immutables } from "../../adapters/evm/contracts/Deployment.ts"
import * as OwnContracts from "../../adapters/evm/contracts/OwnContracts.ts"
import * as UniswapV4Deployment from "../../adapters/evm/contracts/UniswapV4Deployment.ts"
import type * as Address from "../../domain/Address.ts"
import type { Served } from "../doctor/Check.ts"
import type { ChainReport, ContractReport } from "./Report.ts"
import type { Compilation, SourceName } from "./Sources.ts"

/** Longest read of one chain. */
const LIMIT = "25 seconds"

interface Expected {
  readonly name: string
  readonly contract: SourceName
  readonly address: Address.Address
  readonly immutables: Immutables
}

const SOURCES = { guard: "SweepGuard", delegate: "SweepDelegate", entry: "SweepEntry" } as const

/** The contracts that the chain's entry needs: those of the service, and its router of each venue of Uniswap v4. */
const expectedOf = ({ domainName, entry }: Served): ReadonlyArray<Expected> => [
  ...OwnContracts.of(deploymentOf(entry, domainName), entry.contracts).map(({ address, immutables, name }) => ({
    name,
    contract: SOURCES[name],
    address,
    immutables
  })),
  ...UniswapV4Deployment.plansOf(chainOf(entry, domainName)).map(({ address, immutables, transaction }) => ({
    name: transaction.contract,
    contract: "UniswapV4Router" as const,
    address,
    immutables
  }))
]

const reportOf = (
  { address, contract, immutables, name }: Expected,
  comparison: CodeComparison.Comparison
): ContractReport => ({
  name,
  contract,
  address,
  state: comparison.state,
  differences: comparison.state === "differs" ? comparison.differences : [],
  immutables: comparison.state === "equal" ? comparison.immutables : immutables
})

/** Compares all contracts of a chain. A chain that does not answer is reported as such, and spoils no other. */
export const compare = (served: Served, { contracts }: Compilation): Effect.Effect<ChainReport> => {
  const { client, entry } = served
  const chain = { chainId: entry.id, name: entry.name }
  return Effect.forEach(
    expectedOf(served),
    (expected) =>
      Effect.map(client.code(expected.address), (code) =>
        reportOf(expected, CodeComparison.compare(contracts[expected.contract], code, expected.immutables))
      ),
    { concurrency: "unbounded" }
  ).pipe(
    Effect.map((reports): ChainReport => ({ ...chain, contracts: reports })),
    Effect.timeoutOrElse({
      duration: LIMIT,
      orElse: () => Effect.succeed<ChainReport>({ ...chain, contracts: [], failure: `no answer within ${LIMIT}` })
    }),
    Effect.catch(({ message }) => Effect.succeed<ChainReport>({ ...chain, contracts: [], failure: message }))
  )
}
