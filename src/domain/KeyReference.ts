/** Place of an account's key: the setting itself, an encrypted file, a key management service, or a signer. */
import { Option, Redacted, Result } from "effect"
import * as Address from "./Address.ts"
import type { Hex } from "./Hex.ts"
import * as KmsKey from "./KmsKey.ts"

export type KeyReference =
  | { readonly kind: "raw"; readonly key: Redacted.Redacted<Hex> }
  | {
      readonly kind: "keystore"
      /** Path of a file by Web3 Secret Storage, version 3. */
      readonly file: string
      /** Path of the file with its passphrase. Default: the common one of the settings. */
      readonly passphraseFile?: string
      readonly address?: Address.Address
    }
  | {
      readonly kind: "kms"
      readonly key: KmsKey.KmsKey
      /** Account of the key. Without it, the service is asked for it at the start. */
      readonly address?: Address.Address
    }
  | {
      readonly kind: "remote"
      /** URL of a JSON-RPC signer. `{chainId}` stands for the id of the transaction's chain. */
      readonly url: string
      readonly address: Address.Address
    }

/** Accepted forms, for people. */
export const FORMS =
  "`0x` and 64 hex digits, `keystore:<file>`, `awskms:<ARN>`, `awskms:<region>:<key id or alias/name>`, `gcpkms:<resource name of a key version>` or `remote:<URL>#<address>`"

/** Stands in the URL of a remote signer for the id of a chain. */
export const CHAIN_ID = "{chainId}"

const RAW = /^0x[0-9a-fA-F]{64}$/
const ADDRESS = /^0x[0-9a-fA-F]{40}$/

interface Parts {
  readonly scheme: string
  readonly rest: string
  /** Text behind the last `#`. */
  readonly fragment: string | undefined
}

const partsOf = (text: string): Parts => {
  const colon = text.indexOf(":")
  const scheme = colon < 0 ? "" : text.slice(0, colon)
  const body = text.slice(colon + 1)
  const hash = body.lastIndexOf("#")
  return hash < 0
    ? { scheme, rest: body, fragment: undefined }
    : { scheme, rest: body.slice(0, hash), fragment: body.slice(hash + 1) }
}

const refused = (problem: string): Result.Result<never, string> => Result.fail(problem)

const PASSPHRASE = "?passphrase="

const keystore = (rest: string, address: Pick<KeyReference & { kind: "keystore" }, "address">) => {
  const at = rest.indexOf(PASSPHRASE)
  const file = at < 0 ? rest : rest.slice(0, at)
  const passphraseFile = at < 0 ? undefined : rest.slice(at + PASSPHRASE.length)
  if (file === "" || passphraseFile === "") return refused("names no file. Write keystore:<path of the file>")
  const given = passphraseFile === undefined ? {} : { passphraseFile }
  return Result.succeed<KeyReference>({ kind: "keystore", file, ...given, ...address })
}

const remote = (url: string, address: Address.Address | undefined): Result.Result<KeyReference, string> => {
  if (address === undefined) return refused("has no account. Write remote:<URL>#<address of the account>")
  const parsed = URL.parse(url.replaceAll(CHAIN_ID, "1"))
  if (parsed === null || (parsed.protocol !== "https:" && parsed.protocol !== "http:")) {
    return refused("has no URL that begins with https:// or http://")
  }
  if (parsed.username !== "" || parsed.password !== "") {
    return refused("has credentials in its URL. Set REMOTE_SIGNER_TOKEN instead")
  }
  return Result.succeed({ kind: "remote", url, address })
}

/** Parses the text of a setting. The problem never quotes the text, because it may be a private key. */
export const parse = (text: string): Result.Result<KeyReference, string> => {
  if (RAW.test(text)) return Result.succeed({ kind: "raw", key: Redacted.make(text as Hex) })
  const { fragment, rest, scheme } = partsOf(text)
  if (fragment !== undefined && (!ADDRESS.test(fragment) || /^0x0+$/.test(fragment))) {
    return refused("has a text behind # that is not an address: 0x followed by 40 hex digits")
  }
  const address = fragment === undefined ? undefined : Address.of(fragment)
  const given = address === undefined ? {} : { address }
  switch (scheme) {
    case "keystore":
      return keystore(rest, given)
    case "awskms":
    case "aws":
    case "gcpkms":
    case "gcp":
      return Option.match(KmsKey.parse(`${scheme.slice(0, 3)}:${rest}`), {
        onNone: () => refused(`is no key of a key management service. Write ${KmsKey.FORMS}`),
        onSome: (key) => Result.succeed<KeyReference>({ kind: "kms", key, ...given })
      })
    case "remote":
      return remote(rest, address)
    default:
      return refused(`has none of the accepted forms: ${FORMS}`)
  }
}

const fragmentOf = ({ address }: { readonly address?: Address.Address }): string =>
  address === undefined ? "" : `#${address}`

/** Text of a reference, which {@link parse} reads again. That of a raw key is only `raw`. */
export const describe = (reference: KeyReference): string => {
  switch (reference.kind) {
    case "raw":
      return "raw"
    case "keystore": {
      const { file, passphraseFile } = reference
      return `keystore:${file}${passphraseFile === undefined ? "" : PASSPHRASE + passphraseFile}${fragmentOf(reference)}`
    }
    case "kms":
      return `${KmsKey.textOf(reference.key).replace(/^(aws|gcp):/, "$1kms:")}${fragmentOf(reference)}`
    case "remote":
      return `remote:${reference.url}${fragmentOf(reference)}`
  }
}
