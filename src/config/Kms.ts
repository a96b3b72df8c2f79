/** Settings of keys in key management services (KMS). */
import { Config } from "effect"
import * as KmsKey from "../domain/KmsKey.ts"
import { integer, optional, setting } from "./Setting.ts"

/** Checks the name of a key in a KMS. */
export const kmsKey = (name: string): Config.Config<KmsKey.KmsKey> => Config.schema(KmsKey.FromText, name)

export const kms = {
  kmsTimeoutSeconds: setting({
    name: "KMS_TIMEOUT_SECONDS",
    default: 5,
    check: integer({ from: 1, to: 20 }),
    meaning: "Timeout of a request to a key management service with all its attempts, in seconds."
  }),
  googleCredentials: optional({
    name: "GOOGLE_APPLICATION_CREDENTIALS",
    check: Config.NonEmptyString,
    meaning:
      "Key file of a Google Cloud service account, for keys in Google Cloud KMS. If not set, the machine's own service account is used."
  })
} as const
