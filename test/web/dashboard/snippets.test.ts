/** The quickstart's code signs what it built from a checked order, for the delegate that the page names, or nothing. */
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { recoverTypedDataAddress } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import type { DeploymentView } from "../../../src/api/builder/DeploymentApi.ts"
import type { Builder } from "../../../src/domain/Builder.ts"
import { TYPES } from "../../../src/domain/SweepOrder.ts"
import { snippets } from "../../../src/web/dashboard/quickstart/snippets.ts"
import { type Seen, StubServer } from "../../support/StubServer.ts"

const project = join(import.meta.dirname, "..", "..", "..")
const address = (digit: string) => `0x${digit.repeat(40)}` as const
const OTHER = address("9")
const DELEGATE = address("d")
const key = generatePrivateKey()
const owner = privateKeyToAccount(key).address

const builder = { id: "bld_1", payoutAddress: address("b") } as Builder

const deployment = (url: string) =>
  ({
    chains: [
      {
        id: 8453,
        name: "base",
        nativeSymbol: "ETH",
        delegate: DELEGATE,
        routers: [],
        tokens: [
          { chainId: 8453, address: address("2"), symbol: "USDC", name: "USD Coin", decimals: 6 },
          { chainId: 8453, address: address("1"), symbol: "DAI", name: "Dai", decimals: 18 }
        ]
      }
    ],
    orchestratorUrl: url,
    selfSignup: true,
    consoleAccess: "admin_token"
  }) as unknown as DeploymentView

const order = () => ({
  owner: owner as string,
  tokenIn: address("1") as string,
  amountIn: `${25n * 10n ** 18n}`,
  feeAmount: `${10n ** 16n}`,
  builder: builder.payoutAddress as string,
  builderFee: "100",
  tokenOut: address("2") as string,
  minAmountOut: "950000",
  destination: owner as string,
  swapTarget: address("5") as string,
  swapCalldata: "0x1234",
  deadline: `${Math.floor(Date.now() / 1000) + 700}`,
  nonce: "7",
  destChainId: "8453"
})

type Order = ReturnType<typeof order>

interface Offer {
  readonly order: Order
  readonly quote: { readonly builderId: string; readonly sourceChainId: number; readonly settlementAddress: string }
}

const honest = (): Offer => ({
  order: order(),
  quote: { builderId: builder.id, sourceChainId: 8453, settlementAddress: DELEGATE }
})

/** A server that offers this, and serves typed data and an authorization that nobody should sign. */
const serving =
  ({ order, quote }: Offer) =>
  ({ path }: Seen) =>
    path === "/quote"
      ? {
          status: 200,
          body: {
            quote: { id: "q1", ...quote },
            order,
            signing: {
              typedData: { domain: { name: "Permit2" }, types: {}, message: {} },
              authorization: { address: OTHER, chainId: 0, nonce: 3 }
            }
          }
        }
      : { status: path === "/intents" ? 201 : 200, body: { id: "q1", status: "delivered" } }

const withOrder = (change: Partial<Order>): Offer => ({ ...honest(), order: { ...order(), ...change } })
const withQuote = (change: Partial<Offer["quote"]>): Offer => ({
  ...honest(),
  quote: { ...honest().quote, ...change }
})

const ATTACKS: ReadonlyArray<readonly [name: string, offer: Offer]> = [
  ["another owner", withOrder({ owner: OTHER })],
  ["another token", withOrder({ tokenIn: OTHER })],
  ["another amount", withOrder({ amountIn: `${2n * 10n ** 18n}` })],
  ["a fee beyond a tenth", withOrder({ feeAmount: `${3n * 10n ** 18n}` })],
  ["another builder", withOrder({ builder: OTHER })],
  ["another output", withOrder({ tokenOut: OTHER })],
  ["no minimum", withOrder({ minAmountOut: "0" })],
  ["another destination", withOrder({ destination: OTHER })],
  ["another chain", withOrder({ destChainId: "1" })],
  ["a far deadline", withOrder({ deadline: `${Math.floor(Date.now() / 1000) + 90_000}` })],
  ["another attribution", withQuote({ builderId: "bld_2" })],
  ["another source chain", withQuote({ sourceChainId: 1 })],
  ["another delegate", withQuote({ settlementAddress: OTHER })]
]

/** Runs the copied code against a server, and returns what it submitted. */
const submitted = Effect.fnUntraced(function* (offer: Offer) {
  const server = yield* StubServer
  const before = (yield* server.seen).length
  yield* server.answer(serving(offer))
  const code =
    snippets({ builder, deployment: deployment(server.url), builderUrl: server.url }).find(
      ({ name }) => name === "HTTP"
    )?.code ?? ""
  const program = Bun.spawn([process.execPath, "run", "-"], {
    cwd: project,
    env: { ...process.env, OWNER_KEY: key, SWEEP_API_KEY: "key" },
    stdin: new Blob([code]),
    stdout: "ignore",
    stderr: "ignore"
  })
  yield* Effect.promise(() => program.exited)
  return (yield* server.seen).slice(before).filter(({ path }) => path === "/intents")
})

layer(StubServer.layer)("the quickstart's code", (it) => {
  it.effect("signs the order that it checked, and the delegate that it knows", () =>
    Effect.gen(function* () {
      const offer = honest()
      const [submission] = yield* submitted(offer)
      assert.isDefined(submission)
      const { authorization, signature } = JSON.parse(submission.body)
      assert.strictEqual(authorization.address, DELEGATE)
      assert.strictEqual(authorization.chainId, 8453)
      const signer = yield* Effect.promise(() =>
        recoverTypedDataAddress({
          domain: { name: "Service", version: "1", chainId: 8453, verifyingContract: owner },
          types: TYPES,
          primaryType: "SweepOrder",
          message: offer.order as never,
          signature
        })
      )
      assert.strictEqual(signer, owner)
    })
  )

  it.effect.each(ATTACKS)("submits nothing for %s", ([, offer]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* submitted(offer), [])
    })
  )
})
