/** In the address of the sign-in page: where the server wants the browser to return after a sign-in. */
export const returnParameter = 'return_to';
