/** Settings of the sale of collected fees. */
import { FORMS } from "../../domain/KmsKey.ts"
import { kmsKey } from "../Kms.ts"
import { BPS, integer, list, NON_NEGATIVE, optional, POSITIVE, secret, setting, tokensByChain } from "../Setting.ts"

export const treasury = {
  feeRecipientKey: secret({
    name: "FEE_RECIPIENT_KEY",
    meaning:
      "Key of the fee recipient, as a private key or in a form of `RELAYER_KEYS` except `remote:`, with which the service sells collected fees. If neither it nor `FEE_RECIPIENT_KMS_KEY` is set, the service sells nothing: `./sweep treasury plan` prints the sales for a Safe."
  }),
  feeRecipientKmsKey: optional({
    name: "FEE_RECIPIENT_KMS_KEY",
    check: kmsKey,
    meaning: `Key of the fee recipient in AWS KMS or Google Cloud KMS, instead of \`FEE_RECIPIENT_KEY\`: ${FORMS}.`
  }),
  treasuryAssets: list({
    name: "TREASURY_ASSETS",
    check: tokensByChain,
    meaning:
      "Token that collected fees are sold into on each chain, as `<chain id>:<address>`, separated by commas. Fees of other chains are kept as they are."
  }),
  treasuryIntervalHours: setting({
    name: "TREASURY_INTERVAL_HOURS",
    default: 24,
    check: integer({ from: 0, to: 8_760 }),
    meaning: "Interval at which collected fees are sold, in hours. With 0, only `./sweep treasury sell` sells them."
  }),
  treasuryMinUsd: setting({
    name: "TREASURY_MIN_USD",
    default: 25,
    check: integer(NON_NEGATIVE),
    meaning: "Minimum value of a balance of collected fees that is sold, in US dollars."
  }),
  treasuryMaxUsd: setting({
    name: "TREASURY_MAX_USD",
    default: 10_000,
    check: integer(POSITIVE),
    meaning: "Maximum value of one sale of collected fees, in US dollars. A larger balance is sold in several lots."
  }),
  treasuryToleranceBps: setting({
    name: "TREASURY_TOLERANCE_BPS",
    default: 300,
    check: integer(BPS),
    meaning:
      "Maximum difference between the value of the sold fees and the least output of their sale, in basis points. A sale that differs by more is not made."
  })
} as const
