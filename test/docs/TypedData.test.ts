/** `typed-data.mjs` of the page for curl, run on quotes of an honest and of a hostile service. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { encodeFunctionData, type Hex, parseAbi } from "viem"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { swapRouter02Abi } from "../../src/adapters/swap/uniswapV3Abi.ts"
import * as Project from "../examples/Project.ts"
import { codeBlocks, option } from "./Markdown.ts"

const address = (digit: string): Hex => `0x${digit.repeat(40)}`
const [OWNER, DAI, USDC, DELEGATE, ROUTER, OTHER] = [..."abcde9"].map(address) as [Hex, Hex, Hex, Hex, Hex, Hex]

const request = {
  owner: OWNER,
  destination: OWNER,
  destChainId: 31_337,
  tokenIn: DAI,
  amountIn: "25000000000000000000",
  tokenOut: USDC
}

const terms = {
  tokenIn: DAI,
  tokenOut: USDC,
  fee: 500,
  recipient: OWNER,
  amountIn: 24_900_000_000_000_000_000n,
  amountOutMinimum: 24_500_000n,
  sqrtPriceLimitX96: 0n
}

const single = (change: Partial<typeof terms> = {}): Hex =>
  encodeFunctionData({ abi: swapRouter02Abi, functionName: "exactInputSingle", args: [{ ...terms, ...change }] })

const routed = (...calls: ReadonlyArray<Hex>): Hex =>
  encodeFunctionData({ abi: swapRouter02Abi, functionName: "multicall", args: [2_000_000_000n, calls] })

const pull = encodeFunctionData({
  abi: parseAbi(["function pull(address token, uint256 value)"]),
  functionName: "pull",
  args: [OTHER, 10n ** 30n]
})

const quoteOf = (order: Readonly<Record<string, string>> = {}, quote: Readonly<Record<string, unknown>> = {}) => ({
  quote: { sourceChainId: 31_337, crossChain: false, settlementAddress: DELEGATE, ...quote },
  order: {
    ...request,
    destChainId: "31337",
    feeAmount: "100000000000000000",
    builder: `0x${"0".repeat(40)}`,
    builderFee: "0",
    minAmountOut: "24500000",
    swapTarget: ROUTER,
    swapCalldata: routed(single()),
    deadline: String(Math.floor(Date.now() / 1000) + 700),
    nonce: "7",
    ...order
  }
})

const ATTACKS = [
  ["another destination", quoteOf({ destination: OTHER })],
  ["next to nothing to receive", quoteOf({ minAmountOut: "1" })],
  ["another delegate", quoteOf({}, { settlementAddress: OTHER })],
  ["an unknown target", quoteOf({ swapTarget: OTHER })],
  ["no call", quoteOf({ swapCalldata: "0x" })],
  ["a call that is no swap", quoteOf({ swapCalldata: routed(pull) })],
  [
    "a second swap, of another token to a stranger",
    quoteOf({ swapCalldata: routed(single(), single({ tokenIn: OTHER, recipient: OTHER })) })
  ],
  ["a second call that takes what the router was allowed before", quoteOf({ swapCalldata: routed(single(), pull) })],
  ["a bare swap", quoteOf({ swapCalldata: single() })],
  ["a swap of another token", quoteOf({ swapCalldata: routed(single({ tokenIn: OTHER })) })],
  ["a swap into another token", quoteOf({ swapCalldata: routed(single({ tokenOut: OTHER })) })],
  ["a swap for a stranger", quoteOf({ swapCalldata: routed(single({ recipient: OTHER })) })],
  ["a swap of another amount", quoteOf({ swapCalldata: routed(single({ amountIn: 1n })) })],
  ["a swap with a price limit", quoteOf({ swapCalldata: routed(single({ sqrtPriceLimitX96: 1n })) })],
  ["surplus bytes after the call", quoteOf({ swapCalldata: `${routed(single())}00` })],
  ["surplus bytes after the swap", quoteOf({ swapCalldata: routed(`${single()}00`) })]
] as const

describe("typed-data.mjs", () => {
  let directory = ""

  beforeAll(async () => {
    const block = codeBlocks("docs/how-to/sweep-with-curl.md").find((each) => option(each, "save") === "typed-data.mjs")
    directory = await mkdtemp(join(tmpdir(), "sweep-typed-data-"))
    await writeFile(join(directory, "typed-data.mjs"), block?.code ?? "")
    await writeFile(join(directory, "request.json"), JSON.stringify(request))
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  const run = async (quote: unknown) => {
    await writeFile(join(directory, "quote.json"), JSON.stringify(quote))
    return Project.run(["node", "typed-data.mjs", "quote.json", DELEGATE, ROUTER], { cwd: directory })
  }

  it("prints the typed data of the order that was asked for", async () => {
    const quote = quoteOf()
    const { code, error, out } = await run(quote)
    assert.strictEqual(code, 0, error)
    const { domain, message, primaryType } = JSON.parse(out)
    assert.deepStrictEqual(message, quote.order)
    assert.strictEqual(primaryType, "SweepOrder")
    assert.deepInclude(domain, { chainId: 31_337, verifyingContract: OWNER })
  })

  it.each(ATTACKS)("prints nothing to sign for %s", async (_, quote) => {
    const { code, error, out } = await run(quote)
    assert.notStrictEqual(code, 0)
    assert.strictEqual(out, "")
    assert.include(error, "do not sign")
  })
})
