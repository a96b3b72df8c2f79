/** Clients that share no code with the service sign from the quote alone: Foundry's cast, and ethers. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { Wallet } from "ethers"
import type { Hex } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as Foundry from "../../src/devnet/Foundry.ts"
import { type Place, place, Services } from "../support/Services.ts"
import * as SweepClient from "../support/SweepClient.ts"

const castBinary = Effect.runSync(Foundry.binary("cast"))

const cast = async (...args: ReadonlyArray<string>): Promise<string> => {
  const process = Bun.spawn([castBinary, ...args], { stdout: "pipe", stderr: "pipe" })
  const [out, error, code] = await Promise.all([
    new Response(process.stdout).text(),
    new Response(process.stderr).text(),
    process.exited
  ])
  if (code !== 0) throw new Error(`cast ${args[0]}: ${error}`)
  return out.trim()
}

const asNumber = (field: Hex): number => (field === "0x" ? 0 : Number(field))

const signWithCast = async (key: Hex, quote: SweepClient.Answer): Promise<SweepClient.Signed> => {
  const signature = await cast(
    "wallet",
    "sign",
    "--private-key",
    key,
    "--data",
    JSON.stringify(quote.at("signing.typedData"))
  )
  const encoded = await cast(
    "wallet",
    "sign-auth",
    "--private-key",
    key,
    "--chain",
    quote.string("signing.authorization.chainId"),
    "--nonce",
    quote.string("signing.authorization.nonce"),
    quote.string("signing.authorization.address")
  )
  const fields = JSON.parse(await cast("from-rlp", encoded)) as ReadonlyArray<Hex>
  const [chainId = "0x", address = "0x", nonce = "0x", yParity = "0x", r = "0x", s = "0x"] = fields
  return {
    quoteId: quote.string("quote.id"),
    signature: signature as Hex,
    authorization: { chainId: asNumber(chainId), address, nonce: asNumber(nonce), yParity: asNumber(yParity), r, s }
  }
}

const signWithEthers = async (key: Hex, quote: SweepClient.Answer): Promise<SweepClient.Signed> => {
  const wallet = new Wallet(key)
  const { domain, message, types } = quote.at<{
    domain: Record<string, string>
    types: Record<string, Array<{ name: string; type: string }>>
    message: Record<string, string>
  }>("signing.typedData")
  const { EIP712Domain: _, ...structs } = types
  const signed = await wallet.authorize({
    address: quote.string("signing.authorization.address"),
    chainId: BigInt(quote.string("signing.authorization.chainId")),
    nonce: BigInt(quote.string("signing.authorization.nonce"))
  })
  return {
    quoteId: quote.string("quote.id"),
    signature: (await wallet.signTypedData(domain, structs, message)) as Hex,
    authorization: {
      address: signed.address,
      chainId: signed.chainId.toString(),
      nonce: signed.nonce.toString(),
      r: signed.signature.r,
      s: signed.signature.s,
      yParity: signed.signature.yParity
    }
  }
}

layer(Services.layer(), { excludeTestServices: true })("Independent clients", (it) => {
  const sweepsWith = Effect.fnUntraced(function* (
    number: number,
    sign: (key: Hex, quote: SweepClient.Answer) => Promise<SweepClient.Signed>
  ) {
    const services = yield* Services
    const alpha: Place = place(services, 0)
    const client = SweepClient.make(services.info.orchestratorUrl, number)
    const key = generatePrivateKey()
    const owner = privateKeyToAccount(key).address
    yield* alpha.dev.fund(owner as Parameters<typeof alpha.dev.fund>[0], { token: "DAI", amount: 20n * 10n ** 18n })
    const quote = yield* Effect.promise(() =>
      client.quote({ owner, chain: alpha.info, tokenIn: "DAI", amountIn: "20", tokenOut: "USDC" })
    )
    assert.strictEqual(quote.status, 200, quote.text)
    const accepted = yield* Effect.promise(async () => client.submit(await sign(key, quote)))
    assert.strictEqual(accepted.status, 201, accepted.text)
    const ended = yield* Effect.promise(() => client.ended(quote.string("quote.id")))
    assert.strictEqual(ended.string("status"), "delivered", ended.text)
  })

  it.effect("cast signs from the quote alone and has its sweep delivered", () => sweepsWith(1, signWithCast))

  it.effect("ethers signs from the quote alone and has its sweep delivered", () => sweepsWith(2, signWithEthers))
})
