// One script for both documents: the gallery, and the isolated stage in its frame.
void (location.pathname.endsWith('/stage/') ? import('./stage.tsx') : import('./gallery.tsx'));
