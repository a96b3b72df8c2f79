/** Holds the documented table of guarantees: each field of an answer and of a submission is changed on its way. */
import { readFile } from "node:fs/promises"
import { afterAll, assert, beforeAll, describe, it, vi } from "vitest"
import { numberToHex, recoverTypedDataAddress } from "viem"
import { recoverAuthorizationAddress } from "viem/utils"
import * as Sdk from "../../src/sdk/index.ts"
import { venueRouters } from "../../src/sdk/venues.ts"
import {
  crossRequest,
  DELEGATE,
  deposit,
  type Json,
  known,
  leaves,
  NOW_MS,
  OTHER,
  owner,
  replaced,
  request,
  routed,
  swapOf,
  swapOffer,
  swapRequest,
  type WireOffer,
  wireOffer
} from "./Offers.ts"
import { AGGREGATORS } from "./AggregatorCalls.ts"
import { EXCHANGES, type Terms } from "./VenueCalls.ts"
import { wireQuotes } from "./WireBatch.ts"

const page = await readFile(`${import.meta.dirname}/../../docs/reference/sdk.md`, "utf8")

/** Guarantor by field, as the page says. */
const TABLE = new Map(
  [...page.matchAll(/^\| `((?:quote|order|signing|submission)\.[\w.]+)` +\| (\w+) +\|/gm)].map(
    ([, field = "", guarantor = ""]) => [field, guarantor] as const
  )
)

/** The row of a field: its own, or that of the member that it belongs to. */
const rowOf = (path: string): string | undefined =>
  [...TABLE.keys()].find((field) => path === field || path.startsWith(`${field}.`))

/** A hostile value: for fields with a range, one that is outside. */
const HOSTILE: Readonly<Record<string, Json>> = {
  "quote.expiresAtMs": NOW_MS + 7_200_000,
  "quote.estimatedAmountOut": "999999999999999999999",
  "quote.builderId": "someone",
  "order.deadline": String(NOW_MS / 1000 + 7_200),
  "order.nonce": "4",
  "signing.authorization.nonce": "8",
  "signing.typedData.message.nonce": "4"
}

const other = (value: Json): Json => {
  if (typeof value === "boolean") return !value
  if (typeof value === "number") return value + 1
  if (typeof value !== "string") return OTHER
  if (/^0x[0-9a-fA-F]{40}$/.test(value)) return value === OTHER ? DELEGATE : OTHER
  if (value.startsWith("0x")) return `${value}00`
  return /^[0-9]+$/.test(value) ? (BigInt(value) + 1n).toString() : `${value} more`
}

const changed = (wire: Json, path: ReadonlyArray<string>): Json =>
  replaced(wire, path, (value) => HOSTILE[path.join(".")] ?? other(value))

/** The change, also in the served message, so that the offer agrees with itself. */
const tampered = (wire: WireOffer, path: ReadonlyArray<string>): Json => {
  const once = changed(wire, path)
  return path[0] === "order"
    ? replaced(once, ["signing", "typedData", "message", ...path.slice(1)], () => {
        const field = path[1] ?? ""
        return HOSTILE[path.join(".")] ?? other(wire.order[field] ?? null)
      })
    : once
}

const options: Sdk.ReviewOptions = {
  ...known,
  builder: OTHER,
  routers: venueRouters({ trustAggregators: true })
}

const node: Sdk.NodeClient = {
  request: async ({ method }) => (method === "eth_getTransactionCount" ? numberToHex(7) : "0x")
}

// The client signs no quote that has expired.
beforeAll(() => void vi.useFakeTimers({ now: NOW_MS, toFake: ["Date"] }))
afterAll(() => void vi.useRealTimers())

const client = Sdk.createSweepClient({
  orchestratorUrl: "https://sweep.test",
  fetch: () => assert.fail("nothing is requested"),
  nodes: { 8453: node }
})

/** Returns the data that the wallet signs for an answer, or undefined if the client refuses it before it asks. */
const signedFor = async (wire: Json, asked: Sdk.SweepRequest) => {
  const seen: Array<Sdk.SignableTypedData> = []
  const wallet: Sdk.SweepSigner = {
    ...owner,
    signTypedData: (typedData) => {
      seen.push(typedData)
      return owner.signTypedData(typedData)
    }
  }
  try {
    const review = Sdk.reviewOrder(Sdk.readOffer(wire), asked, options)
    const batch: Sdk.BatchReview = {
      legs: [{ ...review, chainId: review.send.chainId, order: review.typedData.message }],
      leftOut: [],
      expiresAt: review.expiresAt,
      typedData: Sdk.batchTypedData([{ chainId: review.send.chainId, order: review.typedData.message }]),
      authorizations: [review.authorization]
    }
    const { authorizations } = await client.signBatch(batch, wallet)
    return { message: review.typedData.message, authorization: authorizations[0], prompts: seen.length }
  } catch (error) {
    assert.isTrue(error instanceof Sdk.SweepError, String(error))
    assert.lengthOf(seen, 0)
    return undefined
  }
}

const attributed = { ...request, apiKey: "swp_key" }

/** Routers of every kind, except for the one of the other offers. */
const VENUES = Object.entries({ ...EXCHANGES, ...AGGREGATORS }).filter(([name]) => name !== "SwapRouter02")

const OFFERS: ReadonlyArray<readonly [string, Sdk.SweepRequest, WireOffer]> = [
  ["on one chain", request, wireOffer()],
  ["with a builder", attributed, wireOffer(attributed)],
  ["across chains", crossRequest, wireOffer(crossRequest)],
  ["across chains, with a swap", swapRequest, swapOffer()],
  ...VENUES.map(([name, { call, router }]): (typeof OFFERS)[number] => [
    `by ${name}`,
    request,
    wireOffer(request, { order: { swapTarget: router, swapCalldata: call() } })
  ])
]

describe("the table of guarantees", () => {
  it("has a row for every field of an answer, and only for those and the submission's", () => {
    const fields = new Set(OFFERS.flatMap(([, , wire]) => leaves(wire).map((path) => path.join("."))))
    const used = new Set<string>()
    for (const field of fields) {
      const row = rowOf(field)
      if (row === undefined) assert.fail(`${field} has no row`)
      else used.add(row)
    }
    const submission = [...TABLE.keys()].filter((field) => field.startsWith("submission."))
    assert.sameMembers([...used, ...submission], [...TABLE.keys()])
    for (const guarantor of TABLE.values()) assert.include(["SDK", "order", "chain", "service"], guarantor)
  })

  for (const [name, asked, wire] of OFFERS) {
    it(`holds for each field of an offer ${name}`, async () => {
      const honest = await signedFor(wire, asked)
      if (honest === undefined) return assert.fail("the honest offer is refused")
      for (const path of leaves(wire)) {
        const field = path.join(".")
        const guarantor = TABLE.get(rowOf(field) ?? "")
        const signed = await signedFor(tampered(wire, path), asked)
        if (guarantor === "SDK") assert.isUndefined(signed, field)
        else if (guarantor === "service") assert.deepStrictEqual(signed, honest, field)
        // The chain knows the nonces that were used. Nothing else in the message differs.
        else assert.deepStrictEqual(signed?.message, { ...honest.message, nonce: 4n }, field)
      }
    })

    it(`holds for each field of a quote among many ${name}`, () => {
      const many: Sdk.SweepQuotesRequest = {
        owner: asked.owner,
        destination: asked.destination ?? asked.owner,
        destChainId: asked.destChainId,
        tokenOut: asked.tokenOut,
        tokens: [{ chainId: 8453, token: asked.tokenIn, amount: asked.amountIn }],
        ...(asked.apiKey === undefined ? {} : { apiKey: asked.apiKey })
      }
      const legsOf = (quotes: Json) => {
        try {
          const { authorizations, legs } = Sdk.reviewSweepQuotes(Sdk.readSweepQuotes(quotes), many, options)
          return { order: { ...legs[0].order, nonce: 0n }, authorizations }
        } catch (error) {
          assert.isTrue(error instanceof Sdk.SweepError, String(error))
          return undefined
        }
      }
      const honest = wireQuotes([wire])
      const expected = legsOf(honest)
      assert.isDefined(expected)
      for (const path of leaves({ quote: wire.quote, order: wire.order })) {
        const guarantor = TABLE.get(path.join("."))
        const found = legsOf(replaced(honest, ["quotes", "0"], (entry) => changed(entry, path)))
        if (guarantor === "SDK") assert.isUndefined(found, path.join("."))
        else assert.deepStrictEqual(found, expected, path.join("."))
      }
      // The served data to sign is not read.
      for (const path of leaves({ typedData: honest.signing.typedData })) {
        assert.deepStrictEqual(legsOf(changed(honest, ["signing", ...path])), expected, path.join("."))
      }
      for (const field of ["address", "chainId"]) {
        assert.isUndefined(legsOf(changed(honest, ["signing", "authorizations", "0", field])), field)
      }
    })
  }

  it("holds for each field of a submission", async () => {
    const review = Sdk.reviewOrder(Sdk.readOffer(wireOffer()), request, known)
    const { authorization, signature } = await Sdk.signReviewed(review, owner)
    const signerOf = (order: Sdk.SweepOrder, signed: Sdk.Hex) =>
      recoverTypedDataAddress({ ...Sdk.orderTypedData(order, 8453), signature: signed }).catch(() => undefined)
    const order = review.typedData.message
    assert.strictEqual(await signerOf(order, signature), owner.address)

    assert.strictEqual(TABLE.get("submission.quoteId"), "order")
    for (const field of Object.keys(order) as ReadonlyArray<keyof Sdk.SweepOrder>) {
      const value = order[field]
      const another = typeof value === "bigint" ? value + 1n : field === "swapCalldata" ? `${value}00` : DELEGATE
      assert.notStrictEqual(await signerOf({ ...order, [field]: another }, signature), owner.address, field)
    }

    assert.strictEqual(TABLE.get("submission.signature"), "chain")
    const flipped: Sdk.Hex = `0x${signature.slice(2, -4)}${signature.slice(-4, -2) === "00" ? "01" : "00"}${signature.slice(-2)}`
    assert.notStrictEqual(await signerOf(order, flipped), owner.address)

    assert.strictEqual(TABLE.get("submission.authorization"), "chain")
    const authorityOf = (changes: Partial<Sdk.Authorization>) =>
      recoverAuthorizationAddress({ authorization: { ...authorization, ...changes } }).catch(() => undefined)
    assert.strictEqual(await authorityOf({}), owner.address)
    for (const changes of [
      { address: OTHER },
      { chainId: 0 },
      { nonce: authorization.nonce + 1 },
      { r: authorization.s },
      { s: authorization.r },
      { yParity: authorization.yParity === 0 ? 1 : 0 }
    ] as ReadonlyArray<Partial<Sdk.Authorization>>) {
      assert.notStrictEqual(await authorityOf(changes), owner.address, JSON.stringify(changes))
    }
  })

  it("covers the terms inside the calldata", async () => {
    const call = { inputAmount: 24_875_000n }
    for (const swapCalldata of [
      deposit({ ...call, exclusiveRelayer: OTHER, exclusivity: 3_600 }),
      deposit({ ...call, fillDeadline: 2 ** 32 - 1 }),
      deposit({ ...call, message: "0x00" })
    ]) {
      assert.isUndefined(await signedFor(wireOffer(crossRequest, { order: { swapCalldata } }), crossRequest))
    }
    const theft = swapOf({ tokenIn: OTHER, recipient: OTHER, amountOutMinimum: 0n })
    const wire = wireOffer(request, { order: { swapCalldata: routed(swapOf(), theft) } })
    assert.isUndefined(await signedFor(wire, request))
  })

  it("covers the terms inside the calldata of every router", async () => {
    const terms: ReadonlyArray<Partial<Terms>> = [
      { tokenIn: OTHER },
      { tokenOut: OTHER },
      { amountIn: 24_875_001n },
      { amountIn: 0n },
      { recipient: OTHER }
    ]
    for (const [name, { call, router }] of VENUES) {
      const signed = (swapCalldata: Sdk.Hex) =>
        signedFor(wireOffer(request, { order: { swapTarget: router, swapCalldata } }), request)
      assert.isDefined(await signed(call()), name)
      for (const term of terms) assert.isUndefined(await signed(call(term)), `${name} ${Object.keys(term)}`)
      // Another router's call.
      assert.isUndefined(
        await signed(name === "Uniswap v2" ? EXCHANGES.Aerodrome.call() : EXCHANGES["Uniswap v2"].call())
      )
    }
  })
})
