/** The sweep page while the service or one of its chains does not answer: it shows the rest, and asks again by itself. */
import { assert, layer } from "@effect/vitest"
import { Effect, Struct } from "effect"
import type { Page } from "playwright-core"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as FakeChain from "../support/FakeChain.ts"
import { StubServer } from "../support/StubServer.ts"
import * as Site from "./Site.ts"
import { click, opens, reads } from "./SweepSteps.ts"
import * as Wallet from "./Wallet.ts"

const live = { excludeTestServices: true } as const

const chain = (id: number, name: string, bridgeDestinations: ReadonlyArray<number>) => ({
  id,
  name,
  nativeSymbol: "ETH",
  wrappedNative: FakeChain.address(0xd3),
  contracts: { delegate: FakeChain.address(1), guard: FakeChain.address(2), entry: FakeChain.address(3) },
  blockTimeMillis: 1_000,
  confirmations: 1,
  assets: { USDC: FakeChain.address(0xd1), WETH: FakeChain.address(0xd3) },
  features: { source: true, swap: true, bridgeDestinations, swapBeforeBridge: true }
})

const token = (chainId: number, symbol: string, name: string, digits: number) => ({
  chainId,
  address: FakeChain.address(digits),
  symbol,
  name,
  decimals: 6
})

const usdcOnBase = token(8453, "USDC", "USD Coin", 0xd1)
const daiOnBase = token(8453, "DAI", "Dai Stablecoin", 0xd2)
const usdcOnArbitrum = token(42161, "USDC", "USD Coin", 0xd1)
const wethOnArbitrum = token(42161, "WETH", "Wrapped Ether", 0xd3)

interface Held extends ReturnType<typeof token> {
  readonly balance: string
  readonly priceUsd: string
  readonly valueUsd: string
  readonly tier: string
  readonly sweepable: boolean
  readonly reason: string | null
  readonly delegation: string
  readonly estimatedNetAmount: string
  readonly estimatedNetUsd: string
  readonly standing?: string
}

const held = (of: ReturnType<typeof token>, dollars: string): Held => ({
  ...of,
  balance: "5000000",
  priceUsd: "1",
  valueUsd: dollars,
  tier: "tier1",
  sweepable: true,
  reason: null,
  delegation: "none",
  estimatedNetAmount: "4900000",
  estimatedNetUsd: dollars
})

interface Answer {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json: unknown
}

const CATALOG = {
  chains: { json: { chains: [chain(8453, "base", [42161]), chain(42161, "arbitrum", [8453])] } },
  tokens: { json: { tokens: [usdcOnBase, daiOnBase, usdcOnArbitrum, wethOnArbitrum] } }
} satisfies Record<string, Answer>

const FAILED: Answer = { status: 503, json: { error: "internal error" } }

const holding = (tokens: ReadonlyArray<Held>, unavailableChains?: ReadonlyArray<number>): Answer => ({
  json: { owner: FakeChain.address(0x0a), tokens, totalUsd: "0", updatedAtMs: 0, unavailableChains }
})

const TOKENS = [held(daiOnBase, "90"), held(wethOnArbitrum, "5")]

const WHOLE = holding(TOKENS)

const WITHOUT_BASE = holding([held(wethOnArbitrum, "5")], [8453])

const WITHOUT_PRICE = holding([
  { ...held(daiOnBase, "0"), sweepable: false, reason: "no_price" },
  held(wethOnArbitrum, "5")
])

/** Somebody with a wallet on the page, in front of a service that answers as the test says. */
const scene = Effect.fnUntraced(function* (
  first: Partial<Record<"chains" | "tokens" | "holdings", Answer>>,
  wallet: Wallet.Options = {}
) {
  const { complaints, page } = yield* Site.visitor()
  const service: Record<string, Answer> = { ...CATALOG, holdings: WHOLE, ...first }
  yield* Effect.promise(() =>
    page.route(`${Site.orchestratorUrl}**`, (route) => {
      const path = new URL(route.request().url()).pathname
      const {
        headers,
        json,
        status = 200
      } = service[path.endsWith("/sweepable") ? "holdings" : path.slice(1)] ?? FAILED
      return route.fulfill({
        status,
        json,
        headers: { "access-control-allow-origin": "*", "access-control-expose-headers": "retry-after", ...headers }
      })
    })
  )
  yield* Wallet.install(page, privateKeyToAccount(generatePrivateKey()), wallet)
  yield* opens(page)
  const answers = (changed: Partial<Record<"chains" | "holdings", Answer>>) =>
    Effect.sync(() => void Object.assign(service, changed))
  return { complaints, page, answers }
})

/** A node on which no account has code. */
const node = StubServer.answering(({ body }) => {
  const { id }: { readonly id: number } = JSON.parse(body)
  return { status: 200, body: { jsonrpc: "2.0", id, result: "0x" } }
})

const gone = (page: Page, text: string | RegExp) =>
  Effect.promise(() => page.getByText(text).first().waitFor({ state: "hidden" }))

const targetChain = (page: Page) => Effect.promise(() => page.getByLabel("On", { exact: true }).inputValue())

layer(Site.layer(), live)("the holdings on the sweep page", (it) => {
  it.effect("of a chain that did not answer come by themselves, and decide the target with the others", () =>
    Effect.gen(function* () {
      const { answers, complaints, page } = yield* scene({ holdings: WITHOUT_BASE })
      yield* click(page, "Test Wallet")
      yield* reads(page, /^Tokens on Base are missing/)
      yield* reads(page, /Wrapped Ether/)
      assert.strictEqual(yield* targetChain(page), "42161")
      yield* answers({ holdings: WHOLE })
      yield* reads(page, /Dai Stablecoin/)
      yield* reads(page, /Wrapped Ether/)
      yield* gone(page, /are missing/)
      assert.strictEqual(yield* targetChain(page), "8453")
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped)
  )

  it.effect("are not said to be none while a chain does not answer, and the target that is chosen stays", () =>
    Effect.gen(function* () {
      const { answers, page } = yield* scene({ holdings: holding([], [8453]) })
      yield* click(page, "Test Wallet")
      yield* reads(page, "Nothing found yet")
      yield* Effect.promise(() => page.getByLabel("On", { exact: true }).selectOption({ label: "Arbitrum" }))
      yield* answers({ holdings: WHOLE })
      yield* reads(page, /Dai Stablecoin/)
      assert.strictEqual(yield* targetChain(page), "42161")
    }).pipe(Effect.scoped)
  )

  it.effect("come by themselves after failures of the services", () =>
    Effect.gen(function* () {
      const { answers, page } = yield* scene({ chains: FAILED, holdings: FAILED })
      yield* Effect.promise(() => page.route("**/deployment", (route) => route.abort()))
      yield* opens(page)
      yield* reads(page, /^The service cannot be reached/)
      yield* Effect.promise(() => page.unroute("**/deployment"))
      yield* reads(page, /^The service has a problem right now/)
      yield* answers({ chains: CATALOG.chains })
      yield* click(page, "Test Wallet")
      yield* reads(page, /^The service has a problem right now/)
      yield* answers({ holdings: WITHOUT_PRICE })
      yield* Effect.promise(() => page.getByText("1 that stays").click())
      yield* reads(page, /No price is known/)
      yield* answers({ holdings: WHOLE })
      yield* reads(page, /Dai Stablecoin/)
    }).pipe(Effect.scoped)
  )

  it.effect("are beside delegations, which are read again by themselves after a failure of the node", () =>
    Effect.gen(function* () {
      const { url } = yield* StubServer
      const nodes: Record<number, string> = {}
      const { page } = yield* scene({ holdings: WITHOUT_BASE }, { chainId: 8453, nodes })
      yield* click(page, "Test Wallet")
      const onBase = page.getByRole("listitem").filter({ hasText: "Base" }).last()
      yield* Effect.promise(() => onBase.getByText("Not known here").waitFor())
      nodes[8453] = url
      yield* Effect.promise(() => onBase.getByText("Not delegated").waitFor())
    }).pipe(Effect.provide(node), Effect.scoped)
  )

  it.effect("are swept in parts if they are more than one signature covers", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 53 }, (_, index) => token(8453, `T${index}`, `Token ${index}`, index + 16))
      const { page } = yield* scene(
        {
          tokens: { json: { tokens: [usdcOnBase, ...many] } },
          holdings: holding(many.map((each) => held(each, "5")))
        },
        { signsAuthorizations: true }
      )
      yield* click(page, "Test Wallet")
      yield* reads(page, "One signature covers 50 tokens. Sweep the other 3 after that.")
      yield* Effect.promise(() => page.getByRole("checkbox", { name: /^T0 / }).uncheck())
      yield* reads(page, "One signature covers 50 tokens. Sweep the other 2 after that.")
      yield* Effect.promise(() => page.getByRole("button", { name: "Review 50 tokens" }).waitFor())
    }).pipe(Effect.scoped)
  )

  it.effect("have a token that is looked for by its address, with a warning, not chosen, and as plain text", () =>
    Effect.gen(function* () {
      const { answers, complaints, page } = yield* scene({ holdings: WHOLE })
      yield* click(page, "Test Wallet")
      yield* reads(page, /Dai Stablecoin/)
      yield* Effect.promise(() => page.getByText("A token is missing").click())
      const field = page.getByLabel("Address of the token")
      const looksFor = (text: string) =>
        Effect.andThen(
          Effect.promise(() => field.fill(text)),
          click(page, "Look for it")
        )
      yield* looksFor("0x12")
      yield* reads(page, "Enter the address of a token: 0x and 40 hex digits.")
      const [unknown, absent] = [
        token(8453, "NEW", "<a href=//new.example>new.example</a>", 0xee),
        FakeChain.address(0xef)
      ]
      yield* answers({ holdings: holding([...TOKENS, { ...held(unknown, "7"), standing: "unlisted" }]) })
      const asked = page.waitForRequest((request) => request.url().includes(`tokens=${unknown.address}`))
      yield* looksFor(` ${unknown.address.toLowerCase()} `)
      yield* Effect.promise(() => asked)
      yield* reads(page, "Found. It is in the list.")
      yield* reads(page, "No list has this token. Check its address before you sweep it.")
      const row = page.getByRole("listitem").filter({ hasText: "NEW" })
      yield* Effect.promise(() => row.getByText(`<a href=//new.example>`).waitFor())
      assert.strictEqual(yield* Effect.promise(() => row.getByRole("link").count()), 0)
      assert.isFalse(yield* Effect.promise(() => row.getByRole("checkbox").isChecked()))
      yield* looksFor(absent)
      yield* reads(page, `The account holds no token at ${absent}.`)
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped)
  )

  it.effect("can be swept with a service of an older version, which says less about its chains", () =>
    Effect.gen(function* () {
      const chains = CATALOG.chains.json.chains.map((each) => ({
        ...Struct.omit(each, ["assets"]),
        features: Struct.omit(each.features, ["swapBeforeBridge"])
      }))
      const { complaints, page } = yield* scene({ chains: { json: { chains } } })
      yield* click(page, "Test Wallet")
      yield* reads(page, /Dai Stablecoin/)
      yield* Effect.promise(() => page.getByRole("button", { name: /^Review/ }).waitFor())
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped)
  )

  it.effect("are asked for at once by a button", () =>
    Effect.gen(function* () {
      const { answers, page } = yield* scene({
        holdings: { status: 429, headers: { "retry-after": "3600" }, json: { error: "too many requests" } }
      })
      yield* click(page, "Test Wallet")
      yield* reads(page, "Too many requests. Please wait 3600 seconds.")
      yield* answers({ holdings: WITHOUT_BASE })
      yield* click(page, "Try again")
      yield* reads(page, /^Tokens on Base are missing/)
      yield* Effect.promise(() => page.getByRole("button", { name: "Try again" }).waitFor())
    }).pipe(Effect.scoped)
  )
})
