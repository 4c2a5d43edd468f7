/** Parameter of the sign-in page: the address to which the server returns the browser after a sign-in. */
export const returnParameter = 'return_to';
