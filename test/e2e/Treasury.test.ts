/** Fees of real sweeps become one asset, and the books agree with the chain to the wei. */
import { assert, layer } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { createPublicClient, erc20Abi, type Hex, http } from "viem"
import type { HoldingState, TreasuryEntry } from "../../src/domain/Treasury.ts"
import { balanceOf, freshOwner, type Place, place, Services } from "../support/Services.ts"
import * as SweepClient from "../support/SweepClient.ts"

/** An entry as it travels: amounts are decimal strings. */
type Entry = {
  readonly [Key in keyof TreasuryEntry]: TreasuryEntry[Key] extends bigint ? string : TreasuryEntry[Key]
} & {
  readonly held: string
  readonly unexplained: string
  readonly state: HoldingState
}

interface View {
  readonly chains: ReadonlyArray<{ readonly chainId: number; readonly selling: string }>
  readonly entries: ReadonlyArray<Entry>
  readonly sales: ReadonlyArray<{
    readonly id: string
    readonly state: string
    readonly token: Hex
    readonly txHash?: Hex
  }>
}

/** A call of a batch for a Safe. An approval has no data, since the Safe encodes it. */
interface Approval {
  readonly to: string
  readonly data: string | null
  readonly contractInputsValues: { readonly value: string }
}

/** Pause between two requests for the same thing. */
const LOOK_MILLIS = 250

const operator = Effect.fnUntraced(function* (method: "GET" | "POST", path: string) {
  const { info } = yield* Services
  return yield* Effect.promise(async () => {
    for (;;) {
      const response = await fetch(`${info.orchestratorUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${info.orchestratorAdminToken}` }
      })
      const text = await response.text()
      if (response.status === 200) return JSON.parse(text)
      // On a busy machine, the chain may not answer within the time of a request.
      assert.strictEqual(response.status, 503, text)
      await Bun.sleep(LOOK_MILLIS)
    }
  })
})

const view: Effect.Effect<View, never, Services> = operator("GET", "/admin/treasury")

/** Each entry has a plan, and a balance that is compared with the books: the chain was read, and no sale was under way. */
const areCompared = ({ entries }: View): boolean =>
  entries.every(({ state, unexplained }) => state !== "unknown" && unexplained !== undefined)

/** Asks until the books are as expected and compared. The test's own limit ends it otherwise. */
const until = (isExpected: (found: View) => boolean) =>
  Effect.repeat(view, {
    schedule: Schedule.spaced(LOOK_MILLIS),
    until: (found) => areCompared(found) && isExpected(found)
  })

/** Asks for sales until so many are opened. A round sells nothing on a chain that did not answer it in time. */
const sell = Effect.fnUntraced(function* (count: number) {
  const opened = new Set<string>()
  while (opened.size < count) {
    const round = yield* operator("POST", "/admin/treasury/sales")
    for (const { id } of round.opened) opened.add(id)
    if (opened.size < count) yield* Effect.sleep(LOOK_MILLIS)
  }
  return opened
})

const entryOf = ({ info }: Place, found: View, symbol: string): Entry => {
  const { address } = SweepClient.tokenOf(info, symbol)
  const entry = found.entries.find((each) => each.chainId === info.id && each.token === address)
  if (entry === undefined) throw new Error(`no books of ${symbol} in ${JSON.stringify(found)}`)
  return entry
}

/** A delivered sweep. Returns its fee. */
const swept = Effect.fnUntraced(function* (
  on: Place,
  tokenIn: "DAI" | "WETH" | "USDC",
  amountIn: string,
  tokenOut: string
) {
  const { info } = yield* Services
  const client = SweepClient.make(info.orchestratorUrl, 1)
  const owner = yield* freshOwner(on, tokenIn, amountIn)
  const quote = yield* Effect.promise(() =>
    client.quote({ owner: owner.address, chain: on.info, tokenIn, amountIn, tokenOut })
  )
  assert.strictEqual(quote.status, 200, quote.text)
  const signed = yield* Effect.promise(() => SweepClient.sign(owner, quote))
  yield* Effect.promise(() => client.submitAccepted(signed))
  const ended = yield* Effect.promise(() => client.ended(signed.quoteId))
  assert.strictEqual(ended.string("status"), "delivered", ended.text)
  return BigInt(quote.string("order.feeAmount"))
})

/** Transfers of a token by or to an account in one transaction, from the receipt alone. */
const moved = ({ dev }: Place, hash: Hex, token: Hex, account: Hex) =>
  Effect.promise(async () => {
    const node = createPublicClient({ transport: http(dev.rpcUrl) })
    const { blockNumber } = await node.getTransactionReceipt({ hash })
    const read = (block: bigint) =>
      node.readContract({
        address: token,
        abi: erc20Abi,
        functionName: "balanceOf",
        args: [account],
        blockNumber: block
      })
    return (await read(blockNumber)) - (await read(blockNumber - 1n))
  })

const isIdle = ({ sales }: View): boolean => sales.every(({ state }) => state === "settled" || state === "failed")

layer(Services.layer(), { excludeTestServices: true })("The treasury end to end", (it) => {
  it.effect("sells fees of two tokens into USDC, and its books are the chain's, to the wei", () =>
    Effect.gen(function* () {
      const alpha = place(yield* Services, 0)
      const recipient = alpha.info.feeRecipient
      const held = (symbol: string) => balanceOf(alpha, symbol, recipient)
      assert.deepInclude((yield* view).chains[0], { chainId: alpha.info.id, selling: "on" })

      const fees = {
        DAI: (yield* swept(alpha, "DAI", "400", "USDC")) + (yield* swept(alpha, "DAI", "900", "WETH")),
        WETH: yield* swept(alpha, "WETH", "0.5", "USDC"),
        USDC: yield* swept(alpha, "USDC", "300", "DAI")
      }
      const collected = yield* until(({ entries }) => entries.length === 3)
      for (const symbol of ["DAI", "WETH", "USDC"] as const) {
        const entry = entryOf(alpha, collected, symbol)
        assert.strictEqual(BigInt(entry.collected), fees[symbol])
        assert.strictEqual(BigInt(entry.held), yield* held(symbol))
        assert.strictEqual(entry.unexplained, "0")
        assert.strictEqual(entry.state, symbol === "USDC" ? "asset" : "sell")
      }

      // The plan for a Safe sells the same balances, each by an approval and a swap.
      const { batch, leftOut } = yield* operator("GET", `/admin/treasury/plan?chainId=${alpha.info.id}`)
      assert.deepStrictEqual(leftOut, [])
      const approved: ReadonlyArray<Approval> = batch.transactions.filter(({ data }: Approval) => data === null)
      assert.sameDeepMembers(
        approved.map(({ contractInputsValues: { value }, to }) => [to, value]),
        (["DAI", "WETH"] as const).map((symbol) => [
          SweepClient.tokenOf(alpha.info, symbol).address,
          String(fees[symbol])
        ])
      )

      const opened = yield* sell(2)
      assert.strictEqual(opened.size, 2)
      // A second request plans nothing more, whatever the first two sales have come to.
      yield* operator("POST", "/admin/treasury/sales")
      const done = yield* until(isIdle)
      const first = done.sales.filter(({ id }) => opened.has(id))
      assert.deepStrictEqual(
        first.map(({ state }) => state),
        ["settled", "settled"]
      )

      // Only what the sales paid to themselves as fees is left of the tokens.
      const usdc = SweepClient.tokenOf(alpha.info, "USDC").address
      let arrived = 0n
      for (const sale of done.sales.filter(({ state }) => state === "settled")) {
        if (sale.txHash === undefined) return assert.fail("a settled sale has no transaction")
        arrived += yield* moved(alpha, sale.txHash, usdc, recipient)
      }
      for (const symbol of ["DAI", "WETH"] as const) {
        const { collected: paid, held: rest, proceeds, sold, unexplained } = entryOf(alpha, done, symbol)
        assert.strictEqual(unexplained, "0")
        assert.strictEqual(BigInt(paid), fees[symbol])
        assert.strictEqual(BigInt(paid) - BigInt(sold), yield* held(symbol))
        assert.strictEqual(BigInt(rest), yield* held(symbol))
        assert.isTrue(BigInt(sold) > 0n)
        assert.strictEqual(proceeds[0]?.token.toLowerCase(), usdc.toLowerCase())
      }
      const asset = entryOf(alpha, done, "USDC")
      assert.strictEqual(BigInt(asset.arrived), arrived)
      assert.strictEqual(BigInt(asset.collected), fees.USDC)
      assert.strictEqual(yield* held("USDC"), fees.USDC + arrived)
      assert.strictEqual(asset.unexplained, "0")
    })
  )
})
