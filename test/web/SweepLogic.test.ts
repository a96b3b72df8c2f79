/** Calculations of the sweep page: dollars, possible output tokens, and typed amounts. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { MEANINGS } from "../../src/domain/QuoteReason.ts"
import type { Address, ListedToken, ServedChain, SweepableToken } from "../../src/sdk/index.ts"
import { byValue, dollars, total, worth } from "../../src/web/lib/usd.ts"
import { canArrive, makeCatalog, NATIVE, unitOf } from "../../src/web/sweep/catalog.ts"
import { whyUnquoted } from "../../src/web/sweep/explain.ts"
import { bySweep, type Submission } from "../../src/web/sweep/submissions.ts"
import { arrivedText, outcomeOf, receiptText } from "../../src/web/sweep/receipt.ts"
import { defaultAmount, isPreselected, reserveOf, whyLeft } from "../../src/web/sweep/selection.ts"
import { defaultTarget, preferredToken, readDestination } from "../../src/web/sweep/target.ts"

const at = (digit: number): Address => `0x${digit.toString(16).padStart(2, "0").repeat(20)}`

const [usdcA, usdcB, usdtA, usdtB] = [at(0xa1), at(0xb1), at(0xa2), at(0xb2)]

/** The third chain has no assets. */
const assetsOf = (id: number): Readonly<Record<string, Address>> => {
  if (id > 2) return {}
  return id === 1 ? { WETH: at(16), USDC: usdcA } : { WETH: at(32), USDC: usdcB, USDT: usdtB }
}

const chain = (
  id: number,
  name: string,
  bridgeDestinations: ReadonlyArray<number>,
  swapBeforeBridge = false
): ServedChain => ({
  id,
  name,
  nativeSymbol: "ETH",
  wrappedNative: at(id * 16),
  contracts: { delegate: at(1), guard: at(2), entry: at(3) },
  blockTimeMillis: 1_000,
  confirmations: 1,
  assets: assetsOf(id),
  features: { source: true, swap: true, bridgeDestinations, swapBeforeBridge }
})

const token = (chainId: number, address: Address, symbol: string, decimals = 18): ListedToken => ({
  chainId,
  address,
  symbol,
  name: symbol,
  decimals
})

const tokens = [
  token(1, NATIVE, "ETH"),
  token(1, at(16), "WETH"),
  token(1, usdcA, "USDC", 6),
  token(1, usdtA, "USDT", 6),
  token(2, NATIVE, "ETH"),
  token(2, at(32), "WETH"),
  token(2, usdcB, "USDC", 6),
  token(2, usdtB, "USDT", 18),
  token(3, NATIVE, "ETH")
]

const chains = (swapBeforeBridge: boolean) => [
  chain(1, "alpha", [2], swapBeforeBridge),
  chain(2, "beta", [1]),
  chain(3, "gamma", [], swapBeforeBridge)
]

const catalog = makeCatalog(chains(false), tokens)

const arrives = (from: readonly [number, Address], to: readonly [number, Address], within = catalog) =>
  canArrive(within, { chainId: from[0], address: from[1] }, { chainId: to[0], address: to[1] })

describe("what can arrive", () => {
  it("on its own chain is any other asset", () => {
    assert.isTrue(arrives([1, usdcA], [1, usdtA]))
    assert.isTrue(arrives([1, NATIVE], [1, usdcA]))
    assert.isFalse(arrives([1, usdcA], [1, usdcA]))
    assert.isTrue(arrives([1, NATIVE], [1, at(16)]), "the wrapped form of what is sent")
    assert.isTrue(arrives([1, at(16)], [1, NATIVE]), "native currency for its wrapped form")
    assert.isFalse(arrives([1, at(16)], [1, at(16)]))
    assert.isFalse(arrives([1, NATIVE], [1, NATIVE]))
  })

  it("over a bridge is the same asset alone", () => {
    assert.isTrue(arrives([1, usdcA], [2, usdcB]))
    assert.isFalse(arrives([1, usdcA], [2, usdtB]))
    assert.isFalse(arrives([1, usdtA], [2, usdtB]), "an equal symbol alone")
    assert.isTrue(arrives([1, NATIVE], [2, NATIVE]))
    assert.isTrue(arrives([1, at(16)], [2, NATIVE]))
    assert.isFalse(arrives([1, NATIVE], [2, at(32)]), "bridges unwrap for accounts")
  })

  it("over a bridge with a swap before it is any asset that the bridge carries", () => {
    const swapping = makeCatalog(chains(true), tokens)
    assert.isTrue(arrives([1, usdtA], [2, usdcB], swapping))
    assert.isTrue(arrives([1, NATIVE], [2, usdcB], swapping))
    assert.isTrue(arrives([1, usdcA], [2, NATIVE], swapping))
    assert.isTrue(arrives([1, at(0x77)], [2, usdcB], swapping), "an unlisted token")
    assert.isTrue(arrives([1, usdcA], [2, usdcB], swapping), "what needs no swap")
    assert.isFalse(arrives([1, usdcA], [2, usdtB], swapping), "what has no counterpart here")
    assert.isFalse(arrives([1, usdcA], [2, at(32)], swapping), "bridges unwrap for accounts")
    assert.isFalse(arrives([2, usdtB], [1, usdcA], swapping), "from a chain that does not swap first")
    assert.isFalse(arrives([3, NATIVE], [1, usdcA], swapping), "from a chain without a bridge")
    const twins = makeCatalog(chains(true), [...tokens, token(1, at(0x78), "USDC", 6)])
    assert.isTrue(arrives([1, usdcA], [2, usdcB], twins), "what has a namesake")
    const untied = chains(true).map((served) => ({ ...served, assets: {} }))
    assert.isFalse(arrives([1, usdcA], [2, usdcB], makeCatalog(untied, tokens)), "of a service that ties nothing")
  })

  it("is counted in what its list says, and in smallest units where that says nothing", () => {
    const bare = makeCatalog([chain(1, "alpha", [])], [token(1, usdcA, "USDC", 6)])
    const unit = (address: Address) => {
      const { decimals, symbol } = unitOf(bare, { chainId: 1, address })
      return `${symbol}/${decimals}`
    }
    assert.deepStrictEqual([usdcA, at(16), at(0x77)].map(unit), ["USDC/6", "WETH/18", "units/0"])
  })

  it("is nothing where no bridge leads", () => {
    assert.isFalse(arrives([1, NATIVE], [3, NATIVE]))
    assert.isFalse(arrives([9, NATIVE], [1, usdcA]))
  })

  it("is a stablecoin unless another token is named", () => {
    assert.strictEqual(preferredToken(catalog, 2)?.address, usdcB)
    assert.strictEqual(preferredToken(catalog, 2, "WETH")?.address, at(32))
    assert.strictEqual(preferredToken(catalog, 2, usdtB)?.address, usdtB)
    assert.strictEqual(preferredToken(catalog, 3)?.address, NATIVE)
  })
})

describe("the first target", () => {
  it("is on the chain that the app names, or on the richest one if the service does not serve that", () => {
    const rich = { ...token(2, usdtB, "USDT"), sweepable: true, valueUsd: "9" } as unknown as SweepableToken
    const first = (chainId?: number) =>
      defaultTarget(catalog, [rich], { tokenOut: "USDC", ...(chainId === undefined ? {} : { chainId }) })?.address
    assert.deepStrictEqual([first(1), first(), first(137)], [usdcA, usdcB, usdcB])
  })
})

describe("a token without an order", () => {
  it("stays for a reason in plain words, or for the limits that its order breaks", () => {
    const because = (
      reason: string,
      mismatches: ReadonlyArray<{ readonly field: string; readonly detail: string }> = []
    ) => whyUnquoted({ chainId: 1, token: usdcA, reason, mismatches })
    assert.strictEqual(because("fees_exceed_amount"), "The fees would take all of it")
    assert.strictEqual(because("a_reason_of_tomorrow"), "It cannot be swept right now")
    assert.include(
      because("over_limit", [{ field: "quotes.0.quote.total", detail: "is 9" }]),
      "quotes.0.quote.total is 9"
    )
    for (const reason of Object.keys(MEANINGS)) {
      if (reason !== "unavailable") assert.notStrictEqual(because(reason), because("unavailable"), reason)
    }
  })
})

describe("submissions", () => {
  it("of one signature are one sweep, and those from before stand alone", () => {
    const submission = (id: string, sweepId?: string): Submission => ({
      id,
      ...(sweepId === undefined ? {} : { sweepId }),
      submittedAtMs: 0,
      send: { chainId: 1, token: usdcA, amount: "1" },
      receive: { chainId: 1, token: usdtA, amount: "1", destination: at(9) },
      status: "submitted"
    })
    const list = [submission("a", "s"), submission("b"), submission("c", "s"), submission("d")]
    assert.deepStrictEqual(
      bySweep(list).map((sweep) => sweep.map(({ id }) => id)),
      [["a", "c"], ["b"], ["d"]]
    )
  })
})

const holding = (more: Partial<SweepableToken> = {}): SweepableToken => ({
  ...token(1, usdtA, "USDT", 6),
  balance: 40_000_000n,
  priceUsd: "1",
  valueUsd: "40",
  tier: "tier1",
  sweepable: true,
  reason: null,
  delegation: "none",
  estimatedNetAmount: 39_000_000n,
  estimatedNetUsd: "39",
  ...more
})

const ether = holding({
  ...token(1, NATIVE, "ETH"),
  balance: 10n ** 16n,
  priceUsd: "2000",
  valueUsd: "20",
  chainId: 8453
})

describe("what is selected at first", () => {
  it("is dust, and never a large, marked or doubtful balance", () => {
    const rich = holding({ valueUsd: "50", balance: 50_000_000n })
    assert.isTrue(isPreselected("dust", holding({ valueUsd: "49.999999" })))
    assert.isFalse(isPreselected("dust", rich))
    assert.strictEqual(whyLeft("dust", rich), "Worth $50 or more")
    assert.isTrue(isPreselected("allButGas", rich))
    for (const preset of ["dust", "allButGas"] as const) {
      assert.isFalse(isPreselected(preset, holding({ doubtful: true })), preset)
      assert.isFalse(isPreselected(preset, holding({ standing: "unlisted" })), preset)
    }
    assert.isFalse(isPreselected("custom", holding()))
  })

  it("keeps gas money of native currency, and sweeps gas money alone only as a whole", () => {
    assert.strictEqual(defaultAmount(holding()), 40_000_000n)
    // A dollar at 2,000 dollars, and ten on Ethereum.
    assert.strictEqual(reserveOf(ether), 5n * 10n ** 14n)
    assert.strictEqual(reserveOf({ ...ether, chainId: 1 }), 5n * 10n ** 15n)
    assert.strictEqual(defaultAmount(ether), 95n * 10n ** 14n)
    const little = { ...ether, balance: 4n * 10n ** 14n, valueUsd: "0.8" }
    assert.strictEqual(whyLeft("allButGas", little), "Kept as gas money")
    assert.strictEqual(defaultAmount(little), little.balance)
    assert.strictEqual(reserveOf({ ...ether, priceUsd: null }), ether.balance)
  })
})

describe("what became of a sweep", () => {
  const sent = (id: string, more: Partial<Submission>): Submission => ({
    id,
    sweepId: "s",
    submittedAtMs: 1_000,
    send: { chainId: 1, token: usdtA, amount: "5000000", symbol: "USDT" },
    receive: { chainId: 2, token: usdcB, amount: "4900000", destination: at(9) },
    feeUsd: "0.1",
    status: "submitted",
    ...more
  })

  it("counts what really arrived, and says at least while that is not known", () => {
    const known = [sent("a", { status: "delivered", amountOut: "4950000", endedAtMs: 61_000, isTimed: true })] as const
    assert.strictEqual(arrivedText(catalog, known), "4.95 USDC")
    assert.include(receiptText(catalog, known), "1 of 1 delivered, 4.95 USDC arrived within 1 min 0 s")
    assert.include(receiptText(catalog, known), "5 USDT on Alpha: 4.95 USDC arrived")
    assert.include(receiptText(catalog, known), "Fees $0.10, taken from the tokens. Gas paid by you: $0")
    const both = [
      ...known,
      sent("b", { status: "delivered" }),
      sent("c", { status: "failed", failureReason: "expired" })
    ] as const
    assert.strictEqual(arrivedText(catalog, both), "at least 9.85 USDC")
    assert.include(receiptText(catalog, both), "failed. It was not settled before its deadline.")
    assert.isFalse(outcomeOf([sent("d", {})]).isEnded)
  })
})

describe("a destination that is typed", () => {
  it("comes back with its checksum, or with what is wrong", () => {
    const address = "0x52908400098527886E0F7030069857D2E4169EE7"
    assert.deepStrictEqual(readDestination(catalog, ` ${address.toLowerCase().replace("0X", "0x")} `), { address })
    assert.property(readDestination(catalog, address.slice(0, -1)), "problem")
    assert.property(
      readDestination(catalog, "0x8617E340B3D01FA5F11F306F4090FD50E238070d"),
      "problem",
      "a wrong checksum"
    )
    assert.property(readDestination(catalog, `0x${"0".repeat(40)}`), "problem")
    assert.property(readDestination(catalog, usdcA), "problem", "a token's own contract")
  })
})

const Amount = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 10n ** 30n }))

describe("dollars", () => {
  it("are cut to the cent", () => {
    assert.strictEqual(dollars("1234567.899999"), "$1,234,567.89")
    assert.strictEqual(dollars("0.009"), "<$0.01")
    assert.strictEqual(dollars("0"), "$0.00")
    assert.strictEqual(dollars("12.5"), "$12.50")
    assert.strictEqual(total(["1.1", null, "2.25"]), "3.35")
    assert.strictEqual(worth(1_500_000n, 6, "2.999"), "$4.49")
  })

  it.prop("are never shown as more than they are", [Amount], ([value]) => {
    const text = `${value / 10n ** 18n}.${(value % 10n ** 18n).toString().padStart(18, "0")}`
    const shown = dollars(text).replace(/[$,]/g, "")
    const cents = shown.startsWith("<") ? 0n : BigInt(shown.replace(".", ""))
    assert.isTrue(cents * 10n ** 16n <= value)
    assert.isTrue(value - cents * 10n ** 16n < 10n ** 16n)
  })

  it("sort the highest first, and what has no price last", () => {
    assert.deepStrictEqual(["2", null, "10", "9.5"].toSorted(byValue), ["10", "9.5", "2", null])
  })
})
