/** A package that is built with an operator's delegates accepts those, and no other, without any option. */
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { buildEntries } from "../../scripts/build-sdk.ts"
import * as Project from "../examples/Project.ts"
import { DELEGATE, type Json, NOW_MS, OTHER, request, wireOffer } from "./Offers.ts"
import { wireQuotes } from "./WireBatch.ts"

/** Reviews a response, and prints the delegate or the mismatches. */
const PROGRAM = `
import { OrderMismatchError, readOffer, readSweepQuotes, reviewOrder, reviewSweepQuotes } from "token-sweep"
const { amountIn, offer, options, quotes, request } = JSON.parse(process.argv[2])
const { owner, destination, destChainId, tokenOut, tokenIn, sourceChainId } = request
const amount = BigInt(amountIn)
const tokens = [{ chainId: sourceChainId, token: tokenIn, amount }]
const many = { owner, destination, destChainId, tokenOut, tokens }
const outcome = (review) => {
  try {
    return review()
  } catch (error) {
    if (error instanceof OrderMismatchError) return error.mismatches.map(({ field }) => field)
    throw error
  }
}
console.log(JSON.stringify({
  one: outcome(() => reviewOrder(readOffer(offer), { ...request, amountIn: amount }, options).delegate),
  many: outcome(() => reviewSweepQuotes(readSweepQuotes(quotes), many, options).legs[0].delegate)
}))
`

const served = (delegate: string) => {
  const { order, quote, signing } = wireOffer(request, { quote: { settlementAddress: delegate } })
  return { order, quote, signing: { ...signing, authorization: { ...signing.authorization, address: delegate } } }
}

describe("the delegates of a package", () => {
  let project = ""

  beforeAll(async () => {
    project = await mkdtemp(join(tmpdir(), "sweep-delegates-"))
    const modules = join(project, "node_modules")
    const installed = join(modules, "token-sweep")
    await buildEntries(installed, { delegates: { 8453: DELEGATE } })
    await mkdir(installed, { recursive: true })
    await writeFile(join(installed, "package.json"), `{"name":"token-sweep","type":"module","exports":"./index.js"}`)
    await symlink(join(Project.root, "node_modules", "viem"), join(modules, "viem"))
    await writeFile(join(project, "review.mjs"), PROGRAM)
  })
  afterAll(() => rm(project, { recursive: true, force: true }))

  const reviewed = async (delegate: string, options: Readonly<Record<string, Json>> = {}) => {
    const offer = served(delegate)
    const quotes = wireQuotes([offer])
    const input = {
      offer,
      quotes: { ...quotes, signing: { ...quotes.signing, authorizations: [offer.signing.authorization] } },
      request: { ...request, amountIn: undefined },
      amountIn: String(request.amountIn),
      options: { nowMs: NOW_MS, ...options }
    }
    const { code, error, out } = await Project.run(["node", "review.mjs", JSON.stringify(input)], { cwd: project })
    assert.strictEqual(code, 0, error)
    return JSON.parse(out)
  }

  it("are accepted without an option", async () => {
    assert.deepStrictEqual(await reviewed(DELEGATE), { one: DELEGATE, many: DELEGATE })
  })

  it("refuse another that the service names everywhere", async () => {
    assert.deepStrictEqual(await reviewed(OTHER), {
      one: ["quote.settlementAddress"],
      many: ["quotes.0.quote.settlementAddress"]
    })
  })

  it("give way to those of the caller", async () => {
    const delegates = { 8453: OTHER }
    assert.deepStrictEqual(await reviewed(OTHER, { delegates }), { one: OTHER, many: OTHER })
    assert.deepStrictEqual(await reviewed(DELEGATE, { delegates }), {
      one: ["quote.settlementAddress"],
      many: ["quotes.0.quote.settlementAddress"]
    })
  })
})
