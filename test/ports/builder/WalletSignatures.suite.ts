/** Contract of every {@link WalletSignatures}, on a real chain. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { encodeFunctionData, serializeErc6492Signature } from "viem"
import { generatePrivateKey, privateKeyToAccount, type PrivateKeyAccount } from "viem/accounts"
import * as Address from "../../../src/domain/Address.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import type { Chains } from "../../../src/ports/shared/Chains.ts"
import { WalletSignatures } from "../../../src/ports/builder/WalletSignatures.ts"
import { chains, OneChain } from "../../support/OneChain.ts"
import { factoryAbi, factoryCode } from "./contractWallet.ts"

const MESSAGE = "dashboard.example.com wants you to sign in with your Ethereum account:"
export const CHAIN_ID = 31337

export const sign = (account: PrivateKeyAccount, message = MESSAGE) =>
  Effect.promise(() => account.signMessage({ message }))
export const stranger = () => privateKeyToAccount(generatePrivateKey())

/** Kind of a valid signature, or undefined. */
export const verify = (
  wallet: string,
  signature: Hex,
  claim: { readonly message?: string; readonly chainId?: number } = {}
) =>
  Effect.flatMap(WalletSignatures, (port) =>
    port.verify({ wallet: Address.of(wallet), message: MESSAGE, chainId: CHAIN_ID, signature, ...claim })
  ).pipe(Effect.map(Option.getOrUndefined))

/** A factory on the chain, and the address of each owner's wallet. */
const deployFactory = Effect.gen(function* () {
  const { node, deployer } = yield* OneChain
  const account = privateKeyToAccount(deployer.privateKey)
  const send = (data: Hex, to?: Address.Address) =>
    node.ask("send", async (client) => {
      const hash = await client.sendTransaction({
        account,
        chain: client.chain,
        data,
        ...(to === undefined ? {} : { to })
      })
      return client.waitForTransactionReceipt({ hash })
    })
  const receipt = yield* send(factoryCode)
  const factory = Address.of(receipt.contractAddress ?? "")
  const deployment = (owner: PrivateKeyAccount) =>
    encodeFunctionData({ abi: factoryAbi, functionName: "deploy", args: [owner.address] })
  return {
    factory,
    deployment,
    deploy: (owner: PrivateKeyAccount) => send(deployment(owner), factory),
    walletOf: (owner: PrivateKeyAccount) =>
      node.ask("address", (client) =>
        client.readContract({ address: factory, abi: factoryAbi, functionName: "addressOf", args: [owner.address] })
      )
  }
})

const live = { excludeTestServices: true, timeout: 60_000 } as const

export const walletSignaturesSuite = (name: string, environment: Layer.Layer<WalletSignatures, never, Chains>): void =>
  layer(environment.pipe(Layer.provideMerge(chains)), live)(`WalletSignatures by ${name}`, (it) => {
    it.effect("a contract wallet's owner signs for it, deployed or not", () =>
      Effect.gen(function* () {
        const { deploy, deployment, factory, walletOf } = yield* deployFactory
        const [owner, other] = [stranger(), stranger()]
        const wallet = yield* walletOf(owner)
        const wrap = (signature: Hex) =>
          serializeErc6492Signature({ address: factory, data: deployment(owner), signature })
        const [right, wrong] = [yield* sign(owner), yield* sign(other)]

        assert.isUndefined(yield* verify(wallet, right), "not deployed, and nothing says how")
        assert.strictEqual(yield* verify(wallet, wrap(right)), "contract")
        assert.isUndefined(yield* verify(wallet, wrap(wrong)))
        assert.isUndefined(yield* verify(yield* walletOf(other), wrap(right)), "the deployment of another wallet")
        const { node } = yield* OneChain
        const code = yield* node.ask("code", (client) => client.getCode({ address: Address.of(wallet) }))
        assert.isUndefined(code, "the check itself deploys nothing")

        yield* deploy(owner)
        assert.strictEqual(yield* verify(wallet, right), "contract")
        assert.strictEqual(yield* verify(wallet, wrap(right)), "contract")
        assert.isUndefined(yield* verify(wallet, wrong))
        assert.isUndefined(yield* verify(wallet, right, { message: "another message" }))
        assert.isUndefined(yield* verify(wallet, right, { chainId: 1 }), "a chain that is not served")
        const { verify: verifyByKey } = yield* WalletSignatures
        const claim = { wallet: Address.of(wallet), message: MESSAGE, signature: right }
        assert.deepStrictEqual(yield* verifyByKey(claim), Option.none(), "no chain")
        const own = { ...claim, wallet: Address.of(owner.address) }
        assert.deepStrictEqual(yield* verifyByKey(own), Option.some("key"))
      })
    )

    it.effect("a wallet that runs forever is cut off by its gas", () =>
      Effect.gen(function* () {
        const { deploy, walletOf } = yield* deployFactory
        const owner = stranger()
        yield* deploy(owner)
        assert.isUndefined(yield* verify(yield* walletOf(owner), "0x00"))
      })
    )

    it.effect("nobody signs for the zero address", () =>
      Effect.gen(function* () {
        // Recovery fails for each of them, and gives the zero address.
        for (const signature of [`0x${"00".repeat(64)}1b`, `0x${"12".repeat(32)}${"00".repeat(32)}1c`] as const) {
          assert.isUndefined(yield* verify(`0x${"00".repeat(20)}`, signature))
        }
      })
    )

    it.effect("an account that signs nothing is nobody's", () =>
      Effect.gen(function* () {
        const account = stranger()
        for (const signature of ["0x", "0x00", `0x${"00".repeat(65)}`, yield* sign(stranger())] as const) {
          assert.isUndefined(yield* verify(account.address, signature))
        }
      })
    )
  })
