// One script for both documents: the gallery, and the state in its frame, whose surroundings are its own.
void (location.pathname.endsWith('/stage/') ? import('./stage.tsx') : import('./gallery.tsx'));
