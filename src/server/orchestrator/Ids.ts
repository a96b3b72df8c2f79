/** Form of an id (RFC 9562). Any other text is unknown, which saves a database query. */
export const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
