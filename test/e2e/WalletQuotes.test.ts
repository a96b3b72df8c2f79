/** Quotes of a wallet through the real parts: what POST /quotes offers can be signed, submitted and delivered. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Hex, type PrivateKeyAccount, recoverTypedDataAddress, type TypedDataDefinition } from "viem"
import { DEFAULT_DOMAIN_NAME, TYPES } from "../../src/domain/SweepOrder.ts"
import * as Address from "../../src/domain/Address.ts"
import { balanceOf, freshOwner, type Place, place, Services } from "../support/Services.ts"
import * as SweepClient from "../support/SweepClient.ts"

type Symbol = Parameters<typeof freshOwner>[1]

interface Entry {
  readonly quote: { readonly id: string; readonly sourceChainId: number; readonly minAmountOut: string }
  readonly order: { readonly [field: string]: string }
}

/** Gives an owner another token on a chain. */
const fund = ({ dev, info }: Place, owner: Hex, token: Symbol, amount: string) =>
  dev.fund(Address.of(owner), {
    token,
    amount: SweepClient.amountOf({ owner, chain: info, tokenIn: token, amountIn: amount, tokenOut: token })
  })

/** Signs an order alone, and the authorization for its chain, as POST /intents takes them. */
const signAlone = async (
  account: PrivateKeyAccount,
  { order, quote }: Entry,
  authorization: { readonly address: Hex; readonly nonce: string }
): Promise<SweepClient.Signed> => {
  const chainId = quote.sourceChainId
  const nonce = Number(authorization.nonce)
  const { address, r, s, yParity } = await account.signAuthorization({ address: authorization.address, chainId, nonce })
  return {
    quoteId: quote.id,
    signature: await account.signTypedData({
      domain: { name: DEFAULT_DOMAIN_NAME, version: "1", chainId, verifyingContract: account.address },
      types: TYPES,
      primaryType: "SweepOrder",
      message: order as never
    }),
    authorization: { address, chainId, nonce, r, s, yParity: yParity ?? 0 }
  }
}

layer(Services.layer(), { excludeTestServices: true, timeout: "60 seconds" })("Quotes of a wallet end to end", (it) => {
  it.effect("quote tokens on two chains at once, and each quote is delivered", () =>
    Effect.gen(function* () {
      const services = yield* Services
      const [alpha, beta] = [place(services, 0), place(services, 1)]
      const client = SweepClient.make(services.info.orchestratorUrl, 1)
      const owner = yield* freshOwner(alpha, "DAI", "300")
      yield* fund(alpha, owner.address, "WBTC", "0.01")
      yield* fund(beta, owner.address, "USDC", "200")
      yield* fund(beta, owner.address, "FOT", "100")
      const token = ({ info }: Place, symbol: string, amount = "max") => ({
        chainId: info.id,
        token: SweepClient.tokenOf(info, symbol).address,
        amount
      })
      const tokens = [
        token(beta, "USDC"),
        token(alpha, "USDT"),
        token(alpha, "DAI"),
        token(beta, "FOT"),
        token(alpha, "WBTC"),
        token(alpha, "USDC")
      ]
      const answer = yield* Effect.promise(() =>
        client.post("/quotes", {
          owner: owner.address,
          destination: owner.address,
          destChainId: alpha.info.id,
          tokenOut: SweepClient.tokenOf(alpha.info, "USDC").address,
          tokens,
          userId: "wallet",
          subscriptionActive: false
        })
      )
      assert.strictEqual(answer.status, 200, answer.text)
      const entries = answer.at<ReadonlyArray<Entry | { readonly reason: string }>>("quotes")
      assert.deepStrictEqual(
        entries.map((entry) => ("reason" in entry ? entry.reason : "quoted")),
        ["quoted", "insufficient_balance", "quoted", "unavailable", "quoted", "same_token"]
      )
      const quoted = entries.flatMap((entry) => ("order" in entry ? [entry] : []))

      // One signature covers all of them, as another library checks it.
      const typedData = answer.at<TypedDataDefinition & { message: { legs: ReadonlyArray<unknown> } }>(
        "signing.typedData"
      )
      assert.deepStrictEqual(
        typedData.message.legs,
        quoted.map(({ order, quote }) => ({ chainId: String(quote.sourceChainId), order }))
      )
      const signature = yield* Effect.promise(() => owner.signTypedData(typedData))
      const signer = yield* Effect.promise(() => recoverTypedDataAddress({ ...typedData, signature }))
      assert.strictEqual(signer, owner.address)

      const authorizations =
        answer.at<ReadonlyArray<{ readonly address: Hex; readonly chainId: number; readonly nonce: string }>>(
          "signing.authorizations"
        )
      assert.deepStrictEqual(authorizations.map(({ chainId }) => chainId).toSorted(), [alpha.info.id, beta.info.id])
      for (const entry of quoted) {
        const authorization = authorizations.find(({ chainId }) => chainId === entry.quote.sourceChainId)
        assert.isDefined(authorization)
        const signed = yield* Effect.promise(() => signAlone(owner, entry, authorization))
        const accepted = yield* Effect.promise(() => client.submit(signed))
        assert.strictEqual(accepted.status, 201, accepted.text)
      }
      for (const { quote } of quoted) {
        const ended = yield* Effect.promise(() => client.ended(quote.id))
        assert.strictEqual(ended.string("status"), "delivered", ended.text)
      }
      const received = yield* balanceOf(alpha, "USDC", owner.address)
      assert.isTrue(received >= BigInt(answer.string("totals.minAmountOut.amount")), `received ${received}`)
      assert.strictEqual(
        quoted.reduce((sum, { quote }) => sum + BigInt(quote.minAmountOut), 0n),
        BigInt(answer.string("totals.minAmountOut.amount"))
      )
    })
  )
})
