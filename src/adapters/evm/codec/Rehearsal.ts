/**
 * Calldata and return data of `contracts/src/simulation/Rehearsal.sol`, which runs calls in order inside one `eth_call` and
 * reports the gas of each.
 */
import { Option } from "effect"
import { getAbiItem, toFunctionSelector } from "viem"
import type * as Address from "../../../domain/Address.ts"
import type { Hex } from "../../../domain/Hex.ts"
import { calldataGas } from "../../../domain/TransactionGas.ts"
import type { SimulatedCall, SimulatedStep } from "../../../ports/shared/Simulation.ts"
import { rehearsal } from "../abi/simulation.generated.ts"
import * as Words from "./Words.ts"

/** Gas limit of a step that names none: enough for any sweep, and a bound of what a hostile token can burn at a node. */
const STEP_GAS = 5_000_000n

/** Gas that a step may use, twice if it is fitted. */
const most = (limit: bigint, fit: SimulatedStep["fit"]): bigint =>
  fit === undefined ? limit : 2n * limit + limit / fit.share + fit.extra

/** Gas of a step beside its own limit: a cold sender and callee, and copying its calldata and its outcome. */
const STEP_OVERHEAD_GAS = 60_000n

/** Gas of the call around the steps. */
const BASE_GAS = 100_000n

/** Gas of a step apart from others, of which few need their limit. If more do than there is gas for, the call fails. */
const USUAL_GAS = 2_000_000n

export interface Rehearsal {
  /** Account that the node calls. It makes the steps of its own, and asks the other senders for theirs. */
  readonly stage: Address.Address
  readonly data: Hex
  /** Gas limit of the `eth_call`. */
  readonly gas: bigint
  /** Code of every sender during the call. */
  readonly codeOverrides: ReadonlyArray<{ readonly address: Address.Address; readonly code: Hex }>
}

const RUN = toFunctionSelector(getAbiItem({ abi: rehearsal.abi, name: "run" }))
const RUN_APART = toFunctionSelector(getAbiItem({ abi: rehearsal.abi, name: "runApart" }))

const sumOf = (amounts: ReadonlyArray<bigint>): bigint => amounts.reduce((sum, amount) => sum + amount, 0n)

/** Gas for steps that need at most these amounts: for the largest whole, and for each other one that of an ordinary step. */
const roomApart = (amounts: ReadonlyArray<bigint>): bigint => {
  const [largest = 0n, ...others] = amounts.toSorted((a, b) => (a > b ? -1 : a < b ? 1 : 0))
  return largest + sumOf(others.map((amount) => (amount < USUAL_GAS ? amount : USUAL_GAS)))
}

const stepOf = ({ data, fit, gas, to, value }: SimulatedStep, from: Address.Address): string =>
  [
    Words.ofAddress(from),
    Words.ofAddress(to),
    Words.ofNumber(value ?? 0n),
    Words.ofNumber(gas ?? STEP_GAS),
    Words.ofNumber(fit?.share ?? 0n),
    Words.ofNumber(fit?.extra ?? 0n),
    // The offset of the calldata is that of the eighth word.
    Words.ofNumber(7 * Words.WORD),
    Words.ofBytes(data)
  ].join("")

/**
 * Encodes the steps as one call. `anyone`: sender if no step names one. It must differ from call to call, since a token can look for code at
 * an address that it knows. `isApart`: each step is undone before the next. Default: each has the effects of those before it.
 */
export const encode = (steps: ReadonlyArray<SimulatedStep>, anyone: Address.Address, isApart = false): Rehearsal => {
  const first = steps.find((each) => each.from !== undefined)?.from ?? anyone
  const data: Hex = `${isApart ? RUN_APART : RUN}${Words.ofList(steps.map((step) => stepOf(step, step.from ?? first)))}`
  const senders = [...new Set(steps.map(({ from = first }) => from))]
  const amounts = steps.map(({ fit, gas = STEP_GAS }) => most(gas, fit) + STEP_OVERHEAD_GAS)
  // EIP-150 keeps back one part in 64 at each of the three calls before a step's own, of which there are four if it is apart.
  const room = isApart ? (roomApart(amounts) * 15n) / 14n : (sumOf(amounts) * 20n) / 19n
  return {
    stage: senders[0] ?? anyone,
    data,
    gas: BASE_GAS + room + calldataGas(data),
    codeOverrides: senders.map((address) => ({ address, code: rehearsal.runtimeCode }))
  }
}

/** Decodes the outcomes of the steps; none if the data is something else. */
export const decode = (
  data: Hex,
  steps: ReadonlyArray<Pick<SimulatedStep, "fit">>
): Option.Option<ReadonlyArray<SimulatedCall>> => {
  const { bytesAt, list, numberAt, wordAt } = Words.reader(data)
  const places = list()
  if (places?.length !== steps.length) return Option.none()
  const calls: Array<SimulatedCall> = []
  for (const [index, place] of places.entries()) {
    const success = numberAt(place)
    const returnData = bytesAt(place + numberAt(place + 3 * Words.WORD))
    if (returnData === undefined || !(success <= 1)) return Option.none()
    const gasUsed = wordAt(place + Words.WORD)
    const gasLimit = steps[index]?.fit === undefined ? {} : { gasLimit: wordAt(place + 2 * Words.WORD) }
    calls.push({ success: success === 1, returnData, gasUsed, ...gasLimit })
  }
  return Option.some(calls)
}
