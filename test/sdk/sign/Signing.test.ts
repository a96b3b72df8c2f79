/** Signing with wallets of several kinds. Only the owner's signature of exactly the requested data passes. */
import { assert, describe, it } from "vitest"
import { Wallet } from "ethers"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import vectors from "../../vectors/sweep-order.json" with { type: "json" }
import {
  fromProvider,
  orderTypedData,
  reviewOrder,
  type SignedSweep,
  SigningError,
  signReviewed,
  type SweepSigner
} from "../../../src/sdk/index.ts"
import { readOffer } from "../../../src/sdk/wire/Offer.ts"
import { known, owner, request, wireOffer } from "../Offers.ts"

const KEY = `0x${"5e".repeat(32)}` as const

const review = reviewOrder(readOffer(wireOffer()), request, known)

/** As an ethers wallet is wrapped. */
const ethersSigner = (): SweepSigner => {
  const wallet = new Wallet(KEY)
  return {
    address: owner.address,
    signTypedData: async ({ domain, message, types }) =>
      (await wallet.signTypedData(domain, types, message)) as `0x${string}`,
    signAuthorization: async (authorization) => {
      const { r, s, yParity } = (await wallet.authorize(authorization)).signature
      return { r: r as `0x${string}`, s: s as `0x${string}`, yParity }
    }
  }
}

/** As wallets are that have a provider, and a function of their own that calls the address `contractAddress`. */
const providerSigner = (): SweepSigner => {
  const wallet = {
    signAuthorization: async ({
      contractAddress,
      ...rest
    }: {
      contractAddress: `0x${string}`
      chainId: number
      nonce: number
    }) => {
      const { r, s, yParity } = await owner.signAuthorization({ address: contractAddress, ...rest })
      return { contractAddress, ...rest, r, s, v: BigInt(27 + (yParity ?? 0)) }
    }
  }
  return fromProvider({
    address: owner.address,
    provider: {
      request: async ({ method, params }) => {
        assert.strictEqual(method, "eth_signTypedData_v4")
        assert.strictEqual(params[0], owner.address)
        const { EIP712Domain, ...types } = JSON.parse(params[1]).types
        assert.lengthOf(EIP712Domain, 4)
        return new Wallet(KEY).signTypedData(JSON.parse(params[1]).domain, types, JSON.parse(params[1]).message)
      }
    },
    signAuthorization: ({ address: contractAddress, chainId, nonce }) =>
      wallet.signAuthorization({ contractAddress, chainId, nonce })
  })
}

const code = async (signer: SweepSigner): Promise<string> => {
  try {
    await signReviewed(review, signer)
  } catch (error) {
    if (error instanceof SigningError) return `${error.what}: ${error.code}`
    throw error
  }
  return assert.fail("it was signed")
}

describe("signing", () => {
  it("signs the documented vectors", async () => {
    for (const { domain, order, privateKey, signature } of vectors.orders) {
      const account = privateKeyToAccount(privateKey as `0x${string}`)
      const typedData = orderTypedData(readOffer(wireOffer(request, { order })).order, domain.chainId, domain.name)
      assert.strictEqual(await account.signTypedData(typedData), signature)
    }
  })

  it("is the same by viem's account, by ethers and by a provider", async () => {
    const [byViem, byEthers, byProvider] = await Promise.all(
      [owner, ethersSigner(), providerSigner()].map((signer) => signReviewed(review, signer))
    )
    assert.deepStrictEqual(byEthers, byViem)
    assert.deepStrictEqual(byProvider, byViem)
  })

  it("takes a parity of 0 from a wallet that returns none", async () => {
    const parities = new Set<number>()
    // Of sixteen keys some have either parity.
    for (let key = 1; key <= 16; key++) {
      const account = privateKeyToAccount(`0x${key.toString(16).padStart(64, "0")}`)
      const theirs = {
        ...review,
        owner: account.address,
        typedData: orderTypedData({ ...review.typedData.message, owner: account.address }, 8453)
      }
      const silent: SweepSigner = {
        address: account.address,
        signTypedData: (typedData) => account.signTypedData(typedData),
        signAuthorization: async (authorization) => {
          const { r, s, yParity } = await account.signAuthorization(authorization)
          parities.add(yParity ?? 0)
          return { r, s }
        }
      }
      const { yParity } = await account.signAuthorization(review.authorization)
      const result: SignedSweep | SigningError = await signReviewed(theirs, silent).catch(
        (error: SigningError) => error
      )
      if (yParity === 0) assert.isFalse(result instanceof SigningError)
      else assert.isTrue(result instanceof SigningError && result.code === "wrong_signer")
    }
    assert.strictEqual(parities.size, 2)
  })

  it("refuses another account's wallet before asking it", async () => {
    const other = privateKeyToAccount(generatePrivateKey())
    const wallet = { ...other, signTypedData: () => assert.fail("it was asked") }
    assert.strictEqual(await code(wallet), "order: wrong_signer")
  })

  it("refuses what another key signed, or what was signed of something else", async () => {
    const other = privateKeyToAccount(generatePrivateKey())
    assert.strictEqual(
      await code({ ...owner, signTypedData: (data) => other.signTypedData(data) }),
      "order: wrong_signer"
    )
    assert.strictEqual(await code({ ...owner, signTypedData: async () => "0x1234" }), "order: wrong_signer")
    assert.strictEqual(
      await code({ ...owner, signAuthorization: (data) => other.signAuthorization(data) }),
      "authorization: wrong_signer"
    )
    const nextNonce: SweepSigner["signAuthorization"] = ({ nonce, ...rest }) =>
      owner.signAuthorization({ ...rest, nonce: nonce + 1 })
    assert.strictEqual(await code({ ...owner, signAuthorization: nextNonce }), "authorization: wrong_signer")
  })

  it("tells a wallet's refusal from one that cannot", async () => {
    const refusal = new Error("User rejected the request")
    const refusing = { ...owner, signTypedData: () => Promise.reject(refusal) }
    assert.strictEqual(await code(refusing), "order: signing_refused")
    const error = await signReviewed(review, refusing).catch((cause: unknown) => cause)
    assert.isTrue(error instanceof SigningError && error.cause === refusal)
    const without: SweepSigner = { ...owner }
    Reflect.deleteProperty(without, "signAuthorization")
    assert.strictEqual(await code(without), "authorization: unsupported_wallet")
  })
})
