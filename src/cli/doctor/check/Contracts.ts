/** Checks the code at every address of the chains file, and the service's own contracts byte by byte. */
import { Effect, Option } from "effect"
import { encodeFunctionData, erc20Abi } from "viem"
import * as Multicall3 from "../../../adapters/evm/codec/Multicall3.ts"
import * as SweepDeployment from "../../../adapters/evm/contracts/Deployment.ts"
import * as OwnContracts from "../../../adapters/evm/contracts/OwnContracts.ts"
import { deploymentOf } from "../../../adapters/evm/chains/ChainSettings.ts"
import type * as Address from "../../../domain/Address.ts"
import * as Contracts from "../../../domain/doctor/Contracts.ts"
import { BOTH, type Check, type Served } from "../Check.ts"
import { eachChain } from "../EachChain.ts"

type Named = readonly [field: string, address: Address.Address | undefined]

/** Every address of a contract that the entry has, by its field. */
export const addressesOf = ({
  entry
}: Served): ReadonlyArray<{ readonly field: string; readonly address: Address.Address }> => {
  const named: ReadonlyArray<Named> = [
    ["wrappedNative", entry.wrappedNative],
    ["sanctionsOracle", entry.sanctionsOracle],
    ["permit2", entry.permit2],
    ["multicall3", entry.multicall3],
    ["swapRouter", entry.swapRouter],
    ["quoter", entry.quoter],
    ["spokePool", entry.spokePool],
    ...(entry.formerSpokePools ?? []).map((address): Named => ["formerSpokePools", address]),
    ["priorGuard", entry.priorGuard],
    ...(entry.earlierContracts ?? []).map(({ guard }): Named => ["earlierContracts", guard]),
    ["spokePoolPeriphery", entry.spokePoolPeriphery],
    ["multicallHandler", entry.multicallHandler],
    ...entry.stables.map((address): Named => ["stables", address]),
    ...(entry.venues ?? []).flatMap(({ factory, name, quoter, router }): ReadonlyArray<Named> => [
      [`venues.${name}.router`, router],
      [`venues.${name}.quoter`, quoter],
      [`venues.${name}.factory`, factory]
    ]),
    ...(entry.targets ?? []).map(({ address, name }): Named => [`targets.${name}`, address]),
    ...(entry.priceFeeds ?? []).map(({ feed }): Named => ["priceFeeds", feed])
  ]
  return named.flatMap(([field, address]) => (address === undefined ? [] : [{ field, address }]))
}

const ownContracts = ({ client, domainName, entry }: Served) =>
  Effect.forEach(
    OwnContracts.of(deploymentOf(entry, domainName), entry.contracts),
    (contract) =>
      Effect.map(client.code(contract.address), (code) => ({
        name: contract.name,
        address: contract.address,
        state: OwnContracts.stateOf(contract, code)
      })),
    { concurrency: "unbounded" }
  )

/** Contracts of the first generation at their computed addresses, if their guard is there and the entry tells nothing of it. */
const unnamedGeneration = Effect.fnUntraced(function* ({ client, domainName, entry }: Served) {
  if (entry.contracts !== undefined || entry.earlierContracts !== undefined || entry.priorGuard !== undefined) return {}
  const { guard } = SweepDeployment.plan(deploymentOf(entry, domainName), 1).contracts
  if ((yield* client.code(guard.address)) === "0x") return {}
  return { unnamedGeneration: SweepDeployment.firstGenerationOf(guard.address) }
})

const DECIMALS = encodeFunctionData({ abi: erc20Abi, functionName: "decimals" })

/** Decimals by the contracts of the listed tokens, in their order. None if Multicall3 is missing, which is a finding of its own. */
const decimalsOf = ({ client, entry }: Served) =>
  Multicall3.read(
    client,
    entry.tokens.map(({ address }) => ({ to: address, data: DECIMALS }))
  ).pipe(
    Effect.map((answers) => answers.map((answer) => Option.getOrUndefined(Multicall3.word(answer)))),
    Effect.orElseSucceed((): ReadonlyArray<bigint | undefined> => [])
  )

/** Requests of one chain under way at a time. The client sends those of a moment as one batch. */
const CONCURRENCY = { concurrency: 20 } as const

const isDelegation = (code: string): boolean => /^0xef0100/i.test(code)

const judged = Effect.fnUntraced(function* (served: Served) {
  const { client, entry } = served
  const hasCode = <A extends { readonly address: Address.Address }>(named: A) =>
    Effect.map(client.code(named.address), (code) => ({ ...named, hasCode: code !== "0x" }))
  const [addresses, tokens, decimals, contracts, owner, unnamed] = yield* Effect.all(
    [
      Effect.forEach(addressesOf(served), hasCode, CONCURRENCY),
      Effect.forEach(
        entry.tokens.map(({ address, decimals, symbol }) => ({ address, decimals, symbol })),
        hasCode,
        CONCURRENCY
      ),
      decimalsOf(served),
      ownContracts(served),
      client.code(entry.guardOwner),
      unnamedGeneration(served)
    ],
    { concurrency: "unbounded" }
  )
  return Contracts.judge({
    chain: entry.name,
    chainId: entry.id,
    addresses,
    tokens: tokens.map((token, index) => ({ ...token, contractDecimals: decimals[index] })),
    contracts,
    isGuardOwnerContract: owner !== "0x" && !isDelegation(owner),
    ...unnamed
  })
})

export const contracts: Check = {
  name: "contracts",
  services: BOTH,
  findings: ({ served }) => Effect.flatMap(served, (all) => eachChain(all, judged))
}
