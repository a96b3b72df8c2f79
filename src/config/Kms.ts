/** Settings of keys outside this process. */
import { Config } from "effect"
import * as KmsKey from "../domain/KmsKey.ts"
import { integer, optional, secret, setting } from "./Setting.ts"

/** Checks the name of a key in a KMS. */
export const kmsKey = (name: string): Config.Config<KmsKey.KmsKey> => Config.schema(KmsKey.FromText, name)

export const kms = {
  kmsTimeoutSeconds: setting({
    name: "KMS_TIMEOUT_SECONDS",
    default: 5,
    check: integer({ from: 1, to: 20 }),
    meaning:
      "Timeout of a request to a key management service or a remote signer with all its attempts, in seconds. A signature of a lane has 4 seconds at most."
  }),
  googleCredentials: optional({
    name: "GOOGLE_APPLICATION_CREDENTIALS",
    check: Config.NonEmptyString,
    meaning:
      "Key file of a Google Cloud service account, for keys in Google Cloud KMS. If not set, the machine's own service account is used."
  }),
  keystorePassphraseFile: optional({
    name: "KEYSTORE_PASSPHRASE_FILE",
    check: Config.NonEmptyString,
    meaning: "File with the passphrase of keystores that name none themselves (`keystore:<file>?passphrase=<file>`)."
  }),
  remoteSignerToken: secret({
    name: "REMOTE_SIGNER_TOKEN",
    meaning: "Bearer token for remote signers (`remote:<URL>#<address>`). If not set, requests carry none."
  })
} as const
