/**
 * Verifies a signature of any wallet over a message. The key of an ordinary account is recovered locally. Otherwise one
 * `eth_call` runs the reference validator of ERC-6492, which asks a deployed wallet (ERC-1271), or deploys the wallet from the
 * signature within the call and asks it. The signature chooses the code that runs, so time and gas of the call are limited.
 */
import { type Duration, Effect, Layer, Option } from "effect"
import {
  encodeDeployData,
  hashMessage,
  recoverMessageAddress,
  universalSignatureValidatorAbi,
  universalSignatureValidatorByteCode
} from "viem"
import * as Address from "../../domain/Address.ts"
import { type Hex, size } from "../../domain/Hex.ts"
import { Chains, ChainUnavailable } from "../../ports/shared/Chains.ts"
import { type SignatureKind, WalletSignatures } from "../../ports/builder/WalletSignatures.ts"

export interface Limits {
  readonly timeout: Duration.Input
  readonly gas: bigint
  /** Maximum size of a signature. That of a passkey wallet with its deployment fits. */
  readonly maxBytes: number
}

const defaults: Limits = { timeout: "5 seconds", gas: 5_000_000n, maxBytes: 16_384 }

/**
 * Address at which the validator runs. Its code is set for one call to the validator's creation code, which does all its work
 * during "deployment" and returns one byte, 1 for a valid signature.
 */
const VALIDATOR = Address.of("0x00000000000000000000000000000000006492aa")

const byKey = Option.some<SignatureKind>("key")
const byContract = Option.some<SignatureKind>("contract")

const recovers = (wallet: Address.Address, message: string, signature: Hex) =>
  Effect.tryPromise(() => recoverMessageAddress({ message, signature })).pipe(
    Effect.map((signer) => Address.of(signer) === wallet),
    Effect.catch(() => Effect.succeed(false))
  )

export const layerWith = (limits: Partial<Limits> = {}) => {
  const { gas, maxBytes, timeout } = { ...defaults, ...limits }
  return Layer.effect(
    WalletSignatures,
    Effect.map(Chains, (chains) =>
      WalletSignatures.of({
        verify: Effect.fn("WalletSignatures.verify")(function* ({ chainId, message, signature, wallet }) {
          // The validator takes a failed recovery of a key, which gives the zero address, for a signature of that address.
          if (wallet === Address.zero || size(signature) > maxBytes) return Option.none()
          if (yield* recovers(wallet, message, signature)) return byKey
          if (chainId === undefined) return Option.none()
          const client = yield* Effect.option(chains.get(chainId))
          if (Option.isNone(client)) return Option.none()
          const code = encodeDeployData({
            abi: universalSignatureValidatorAbi,
            bytecode: universalSignatureValidatorByteCode,
            args: [wallet, hashMessage(message), signature]
          })
          return yield* client.value
            .call({
              to: VALIDATOR,
              data: "0x",
              gas,
              block: "latest",
              codeOverrides: [{ address: VALIDATOR, code }]
            })
            .pipe(
              Effect.map((answer) => (answer === "0x01" ? byContract : Option.none())),
              // The validator reverts if the address is not a wallet or the wallet rejects the signature.
              Effect.catchTag("CallReverted", () => Effect.succeedNone),
              Effect.timeoutOrElse({
                duration: timeout,
                orElse: () =>
                  Effect.fail(
                    new ChainUnavailable({ chainId, method: "eth_call", detail: "signature check timed out" })
                  )
              })
            )
        })
      })
    )
  )
}

export const layer = layerWith()
