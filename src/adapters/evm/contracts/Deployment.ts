/**
 * Plans a chain's deployment: addresses, transactions and expected code of its contracts, in each of their generations. Everything is
 * computed, since CREATE2 through the deterministic deployer fixes every address in advance.
 */
import { Schema } from "effect"
import {
  concatHex,
  encodeDeployData,
  getContractAddress,
  keccak256,
  numberToHex,
  padHex,
  sliceHex,
  stringToBytes,
  stringToHex
} from "viem"
import * as Address from "../../../domain/Address.ts"
import { ChainId } from "../../../domain/ChainId.ts"
import { designator } from "../../../domain/Delegation.ts"
import { type Hex, size } from "../../../domain/Hex.ts"
import { DomainName } from "../../../domain/SweepOrder.ts"
import * as current from "../abi/contracts.generated.ts"
import * as firstGeneration from "../abi/firstGeneration.ts"

/** Arachnid's deployer, at the same address on every chain: call data is a salt followed by init code. */
export const DETERMINISTIC_DEPLOYER = Address.of("0x4e59b44847b379578588920cA78FbF26c0B4956C")

/** Code of the deployer. Without it, a chain cannot have the computed addresses. */
export const DETERMINISTIC_DEPLOYER_CODE: Hex =
  "0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3"

/** Constructor arguments of a chain's contracts. The constructors accept every decoded value. */
export const Deployment = Schema.Struct({
  chainId: ChainId,
  /** Administrator of the guard's allow-list. Adding a target takes effect after the timelock, removing one immediately. */
  guardOwner: Address.NonZeroAddress,
  /** Seconds between listing a target and the first sweep that may call it. */
  timelockSeconds: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 365 * 86_400 })),
  /** Recipient of protocol fees. */
  feeRecipient: Address.NonZeroAddress,
  /** Wrapped native token. The zero address if the chain has none; native input is then refused. */
  wrappedNative: Address.Address,
  /** EIP-712 domain name of orders. */
  domainName: DomainName,
  /**
   * Guard of the first generation, which takes the nonce of every order. Orders that it settled are then refused. Default: none was
   * deployed on the chain.
   */
  priorGuard: Schema.optionalKey(Address.NonZeroAddress),
  /** Routers that sweeps may call from the start. Each must have code when the guard is deployed, as must each bridge. */
  routers: Schema.Array(Address.NonZeroAddress),
  /** Bridges that sweeps may call from the start, for orders that leave the chain. */
  bridges: Schema.Array(Address.NonZeroAddress)
})

export type Deployment = typeof Deployment.Type

/**
 * Version of the contracts' code. The second one has batches, kinds of targets, and nonces that name their guard. `./sweep deploy`
 * deploys the current one. Accounts may still be delegated to the first.
 */
export type Generation = 1 | 2

export const CURRENT: Generation = 2

/** Generations before the current one, the latest first. */
export const EARLIER: ReadonlyArray<Generation> = [1]

export type ContractName = "guard" | "delegate" | "entry"

/** Values of immutables by name: addresses, numbers and hashes, each of 32 bytes at most. */
export type Immutables = Readonly<Record<string, Hex>>

export interface DeployTransaction {
  readonly contract: "guard" | "entry" | "uniswap-v4-router"
  readonly to: Address.Address
  readonly data: Hex
}

export interface PlannedContract {
  readonly address: Address.Address
  /** Deployed code, with immutables. */
  readonly runtimeCode: Hex
  /** Values of the immutables, which the constructor computes from its arguments. */
  readonly immutables: Immutables
}

/** A contract beside those that sweeps need, which an operator may deploy. */
export interface Part extends PlannedContract {
  readonly transaction: DeployTransaction
}

export interface Plan {
  readonly generation: Generation
  readonly chainId: ChainId
  readonly contracts: Readonly<Record<ContractName, PlannedContract>>
  /** One for each contract except the delegate, which the guard's constructor deploys. */
  readonly transactions: ReadonlyArray<DeployTransaction>
}

/** `right`: planned code. `missing`: no code. `wrong`: other code. */
export type Finding = "right" | "missing" | "wrong"

const SALT = padHex("0x", { size: 32 })

/** Address of a contract that the deterministic deployer creates from this code. */
export const create2 = (initCode: Hex): Address.Address =>
  Address.of(getContractAddress({ opcode: "CREATE2", from: DETERMINISTIC_DEPLOYER, salt: SALT, bytecode: initCode }))

/** The transaction that creates a contract by the deterministic deployer. */
export const deployment = (contract: DeployTransaction["contract"], initCode: Hex): DeployTransaction => ({
  contract,
  to: DETERMINISTIC_DEPLOYER,
  data: concatHex([SALT, initCode])
})

/** Runtime code with its immutables filled in. The compiler leaves them zero. */
export const filled = (
  code: { readonly runtimeCode: Hex; readonly immutables: Readonly<Record<string, ReadonlyArray<number>>> },
  words: Immutables
): Hex =>
  Object.entries(code.immutables)
    .flatMap(([name, offsets]) => {
      const word = words[name]
      if (word === undefined) throw new Error(`no value for the immutable ${name}`)
      return offsets.map((offset) => [offset, padHex(word, { size: 32 })] as const)
    })
    .reduce<Hex>((runtime, [offset, word]) => {
      const end = offset + 32
      const head = offset === 0 ? "0x" : sliceHex(runtime, 0, offset)
      return concatHex([head, word, end === size(runtime) ? "0x" : sliceHex(runtime, end)])
    }, code.runtimeCode)

/** Layout of a short string by `LibString.packOne`: length, bytes, zeros. */
const packed = (name: string): Hex =>
  padHex(concatHex([numberToHex(stringToBytes(name).length, { size: 1 }), stringToHex(name)]), {
    size: 32,
    dir: "right"
  })

/** Sorted without repetitions, so that the configured order does not change addresses. */
const sorted = (targets: ReadonlyArray<Address.Address>): ReadonlyArray<Address.Address> => [...new Set(targets)].sort()

const priorGuardOf = ({ priorGuard }: Deployment): Address.Address => priorGuard ?? Address.zero

/** Init code of the guard. The first generation has one list of targets, of both kinds. */
const guardInitCode = (deployment: Deployment, generation: Generation): Hex => {
  const { bridges, domainName, feeRecipient, guardOwner, routers, timelockSeconds, wrappedNative } = deployment
  const common = [guardOwner, BigInt(timelockSeconds), feeRecipient, wrappedNative, domainName] as const
  if (generation === 1) {
    const { abi, creationCode } = firstGeneration.sweepGuard
    return encodeDeployData({ abi, bytecode: creationCode, args: [...common, sorted([...routers, ...bridges])] })
  }
  const { abi, creationCode } = current.sweepGuard
  const args = [...common, priorGuardOf(deployment), sorted(routers), sorted(bridges)] as const
  return encodeDeployData({ abi, bytecode: creationCode, args })
}

/** Address of the delegate that the guard's constructor deploys. EIP-161: the nonce of a contract under construction is 1. */
const delegateOf = (guard: Address.Address): Address.Address =>
  Address.of(getContractAddress({ from: guard, nonce: 1n }))

/** Init code of the entry. That of the first generation checks no code. */
const entryInitCode = (delegate: Address.Address, generation: Generation): Hex => {
  if (generation === 1) return firstGeneration.sweepEntry.creationCode
  const { abi, creationCode } = current.sweepEntry
  return encodeDeployData({ abi, bytecode: creationCode, args: [delegate] })
}

/** Immutables of a chain's contracts, given the addresses of two of them. The first generation has fewer. */
export const immutablesOf = (
  config: Deployment,
  { delegate, guard }: Readonly<Record<"delegate" | "guard", Address.Address>>
): Readonly<Record<ContractName, Immutables>> => {
  const _delegatedCodeHash = keccak256(designator(delegate))
  return {
    guard: {
      delegate,
      owner: config.guardOwner,
      timelock: numberToHex(config.timelockSeconds),
      _delegatedCodeHash
    },
    delegate: {
      guard,
      feeRecipient: config.feeRecipient,
      wrappedNative: config.wrappedNative,
      priorGuard: priorGuardOf(config),
      _name: packed(config.domainName),
      _nameHash: keccak256(stringToHex(config.domainName))
    },
    entry: { _delegatedCodeHash }
  }
}

/** Addresses, expected code and transactions of a chain's contracts. Default generation: the current one. */
export const plan = (config: Deployment, generation: Generation = CURRENT): Plan => {
  const { sweepDelegate, sweepEntry, sweepGuard } = generation === 1 ? firstGeneration : current
  const initCode = guardInitCode(config, generation)
  const guard = create2(initCode)
  const delegate = delegateOf(guard)
  const entryCode = entryInitCode(delegate, generation)
  const immutables = immutablesOf(config, { delegate, guard })
  const planned = (name: ContractName, address: Address.Address, code: Parameters<typeof filled>[0]) => ({
    address,
    runtimeCode: filled(code, immutables[name]),
    immutables: immutables[name]
  })
  const contracts = {
    guard: planned("guard", guard, sweepGuard),
    delegate: planned("delegate", delegate, sweepDelegate),
    entry: planned("entry", create2(entryCode), sweepEntry)
  }
  return {
    generation,
    chainId: config.chainId,
    contracts,
    transactions: [deployment("guard", initCode), deployment("entry", entryCode)]
  }
}

/** Addresses of the first generation's contracts with this guard, whose constructor deployed the delegate. */
export const firstGenerationOf = (guard: Address.Address): Readonly<Record<ContractName, Address.Address>> => {
  const delegate = delegateOf(guard)
  return { delegate, guard, entry: create2(entryInitCode(delegate, 1)) }
}

/** Plans of the generations before the current one, the latest first. */
export const earlierPlans = (config: Deployment): ReadonlyArray<Plan> =>
  EARLIER.map((generation) => plan(config, generation))

/** Compares the code that a node returned for an address. `undefined` and `0x` both mean no code. */
export const judge = (planned: Pick<PlannedContract, "runtimeCode">, code: Hex | undefined): Finding => {
  if (code === undefined || size(code) === 0) return "missing"
  return code.toLowerCase() === planned.runtimeCode.toLowerCase() ? "right" : "wrong"
}

/** Transactions that are still to be sent. */
export const outstanding = (
  planned: Plan,
  findings: Readonly<Record<ContractName, Finding>>
): ReadonlyArray<DeployTransaction> =>
  planned.transactions.filter(({ contract }) => contract !== "uniswap-v4-router" && findings[contract] === "missing")

/** Returns true when the chain has the deterministic deployer with its exact code. */
export const hasDeployer = (code: Hex | undefined): boolean => code?.toLowerCase() === DETERMINISTIC_DEPLOYER_CODE
