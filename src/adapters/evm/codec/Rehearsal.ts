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

/** Sender of steps that name none. */
const ANYONE = "0x000000000000000000000000000000000000dEaD" as Address.Address

/** Gas limit of a step that names none: enough for any sweep, and a bound of what a hostile token can burn at a node. */
const STEP_GAS = 5_000_000n

/** Gas that a step may use, twice if it is fitted. */
const most = (limit: bigint, fit: SimulatedStep["fit"]): bigint =>
  fit === undefined ? limit : 2n * limit + limit / fit.share + fit.extra

/** Gas of a step beside its own limit: a cold sender and callee, and copying its calldata and its outcome. */
const STEP_OVERHEAD_GAS = 60_000n

/** Gas of the call around the steps. */
const BASE_GAS = 100_000n

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

/** Encodes the steps as one call. */
export const encode = (steps: ReadonlyArray<SimulatedStep>): Rehearsal => {
  const first = steps.find((each) => each.from !== undefined)?.from ?? ANYONE
  const data: Hex = `${RUN}${Words.ofList(steps.map((step) => stepOf(step, step.from ?? first)))}`
  const senders = [...new Set(steps.map(({ from = first }) => from))]
  // EIP-150 keeps back one part in 64 at each of the three calls before a step's own.
  const room = steps.reduce((sum, { fit, gas = STEP_GAS }) => sum + most(gas, fit) + STEP_OVERHEAD_GAS, 0n)
  return {
    stage: senders[0] ?? ANYONE,
    data,
    gas: BASE_GAS + (room * 20n) / 19n + calldataGas(data),
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
