/** UUIDs (RFC 9562). They have no case, and are stored in lower case. */

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const isUuid = (text: string): boolean => UUID.test(text)

/** The stored form of an id that somebody wrote. An id that is no UUID has a case, and stays as it is. */
export const stored = (id: string): string => (isUuid(id) ? id.toLowerCase() : id)
