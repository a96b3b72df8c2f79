/** Names of what can be paused. Pages use them without the schemas of pauses, which are larger. */

/** Subject of a pause, as far as its name tells. */
type Named =
  | { readonly scope: "all" }
  | { readonly scope: "chain"; readonly chainId: number }
  | { readonly scope: "token"; readonly chainId: number; readonly token: string }
  | { readonly scope: "builder"; readonly builderId: string }

/** Name of a subject, unique among subjects. */
export const nameOf = (subject: Named): string => {
  switch (subject.scope) {
    case "all":
      return "all"
    case "chain":
      return `chain:${subject.chainId}`
    case "token":
      return `token:${subject.chainId}:${subject.token}`
    case "builder":
      return `builder:${subject.builderId}`
  }
}
