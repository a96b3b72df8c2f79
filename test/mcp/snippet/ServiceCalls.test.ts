/**
 * The client and the generated module judge the service's own router calls alike: both accept each of them, and both refuse what is made of
 * one that does anything else.
 */
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { decodeFunctionData, encodeFunctionData, type Hex } from "viem"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { swapRouter02Abi } from "../../../src/adapters/swap/uniswapV3Abi.ts"
import { snippet } from "../../../src/mcp/snippet/Snippet.ts"
import { OrderMismatchError, readOffer, readSwapCall, reviewOrder, type SweepRequest } from "../../../src/sdk/index.ts"
import * as Project from "../../examples/Project.ts"
import { DELEGATE, known, NOW_MS, OTHER, owner, routed, type WireOffer, wireOffer } from "../../sdk/Offers.ts"
import { type ServiceCall, serviceCalls, WETH } from "../../sdk/ServiceCalls.ts"

interface Generated {
  readonly review: (owner: Hex, request: SweepRequest, offer: WireOffer) => unknown
}

const CALLS = await Effect.runPromise(serviceCalls)

/** The router's calls under the deadline. */
const stepsOf = (calldata: Hex): ReadonlyArray<Hex> => {
  const call = decodeFunctionData({ abi: swapRouter02Abi, data: calldata })
  if (call.functionName !== "multicall") throw new Error("the service makes a multicall")
  return call.args[1]
}

const nameOf = (data: Hex): string => decodeFunctionData({ abi: swapRouter02Abi, data }).functionName

const sweepToken = (token: Hex, recipient: Hex): Hex =>
  encodeFunctionData({ abi: swapRouter02Abi, functionName: "sweepToken", args: [token, 1n, recipient] })

const unwrap = (recipient: Hex): Hex =>
  encodeFunctionData({ abi: swapRouter02Abi, functionName: "unwrapWETH9", args: [1n, recipient] })

const pull = (token: Hex): Hex =>
  encodeFunctionData({ abi: swapRouter02Abi, functionName: "pull", args: [token, 10n ** 24n] })

/** Calls that are made of one of the service's, and do something else. */
const othersOf = ({ asked, calldata }: ServiceCall): ReadonlyArray<readonly [name: string, calldata: Hex]> => {
  const steps = stepsOf(calldata)
  const destination = asked.destination ?? owner.address
  const instead = (ending: Hex): Hex => routed(...steps.slice(0, -1), ending)
  return [
    ...steps.map((_, index) => [`without step ${index}`, routed(...steps.toSpliced(index, 1))] as const),
    ...steps.map((step, index) => [`with step ${index} twice`, routed(...steps.toSpliced(index, 0, step))] as const),
    ["with old allowances before it", routed(pull(OTHER), ...steps)],
    ["with old allowances behind it", routed(...steps, pull(OTHER))],
    ["with another token passed on to a stranger", routed(...steps, sweepToken(OTHER, OTHER))],
    ["with its token passed on, too", routed(...steps, sweepToken(asked.tokenOut, destination))],
    ["with an unwrapping, too", routed(...steps, unwrap(destination))],
    ["that ends by passing on another token", instead(sweepToken(OTHER, destination))],
    ["that ends by passing its token on to a stranger", instead(sweepToken(WETH, OTHER))],
    ["that ends by unwrapping for a stranger", instead(unwrap(OTHER))],
    ["in another multicall", routed(calldata)],
    ["with surplus bytes", `${calldata}00`]
  ]
}

/** Bytes between two places. Prime to the size of a word, so that every part of words is changed. */
const STRIDE = 11

/** The call with one byte changed, at many places. */
const changedOf = ({ calldata }: ServiceCall): ReadonlyArray<Hex> => {
  const size = (calldata.length - 2) / 2
  const places = Array.from({ length: Math.ceil(size / STRIDE) }, (_, index) => index * STRIDE)
  return [...places, size - 1].map((place): Hex => {
    const at = 2 + 2 * place
    const byte = (Number.parseInt(calldata.slice(at, at + 2), 16) ^ 1).toString(16).padStart(2, "0")
    return `0x${calldata.slice(2, at)}${byte}${calldata.slice(at + 2)}`
  })
}

describe("the service's own router calls", () => {
  let directory = ""
  let generated: Generated

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), "sweep-snippet-"))
    await mkdir(join(directory, "node_modules"))
    await symlink(join(Project.root, "node_modules", "viem"), join(directory, "node_modules", "viem"))
    const options = { orchestratorUrl: "https://sweep.test", builderApiKey: undefined, sweepRouter: undefined }
    const code = snippet({ ...options, domainName: "Service", sourceChainId: 8453 })
    const setting = "const DELEGATE: Hex | undefined = undefined"
    const path = join(directory, "snippet.ts")
    await Bun.write(path, code.replace(setting, `const DELEGATE: Hex | undefined = "${DELEGATE}"`))
    generated = await import(path)
    vi.useFakeTimers({ now: NOW_MS, toFake: ["Date"] })
  })
  afterAll(async () => {
    vi.useRealTimers()
    await rm(directory, { recursive: true, force: true })
  })

  const judged = (asked: SweepRequest, swapCalldata: Hex) => {
    const offer = wireOffer(asked, { order: { swapCalldata } })
    const isAccepted = (review: () => unknown, isRefusal: (error: unknown) => boolean): boolean => {
      try {
        review()
        return true
      } catch (error) {
        if (isRefusal(error)) return false
        throw error
      }
    }
    return {
      byModule: isAccepted(
        () => generated.review(owner.address, asked, offer),
        () => true
      ),
      byClient: isAccepted(
        () => reviewOrder(readOffer(offer), asked, { ...known, maxSlippageBps: 10_000 }),
        (error) => error instanceof OrderMismatchError
      )
    }
  }

  it.each(CALLS)("are of every kind: $name", ({ calldata, name }) => {
    assert.strictEqual(stepsOf(calldata).map(nameOf).join(", "), name.replace(/ \(.*/, ""))
    assert.isDefined(readSwapCall(calldata))
  })

  it.each(CALLS)("are accepted by both: $name", ({ asked, calldata }) => {
    assert.deepStrictEqual(judged(asked, calldata), { byModule: true, byClient: true })
  })

  it.each(CALLS)("are refused by both if they do anything else: $name", (call) => {
    for (const [name, calldata] of othersOf(call)) {
      assert.deepStrictEqual(judged(call.asked, calldata), { byModule: false, byClient: false }, name)
    }
  })

  it.each(CALLS)("are judged alike with any byte changed: $name", (call) => {
    for (const calldata of changedOf(call)) {
      const { byClient, byModule } = judged(call.asked, calldata)
      assert.strictEqual(byModule, byClient, calldata)
    }
  })

  it("are refused by both for another order", () => {
    for (const { calldata } of CALLS) {
      for (const { asked } of CALLS) {
        const { byClient, byModule } = judged(asked, calldata)
        assert.strictEqual(byModule, byClient)
      }
    }
  })
})
