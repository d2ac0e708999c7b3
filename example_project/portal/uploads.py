"""Uploads of which only the name matters."""

from io import BytesIO

from django.core.files.uploadedfile import InMemoryUploadedFile
from django.core.files.uploadhandler import FileUploadHandler


class NameOnlyUploadHandler(FileUploadHandler):
    """Throws the content of every file away as it comes in."""

    def receive_data_chunk(self, raw_data: bytes, start: int) -> None:
        return None

    def file_complete(self, file_size: int) -> InMemoryUploadedFile:
        return InMemoryUploadedFile(
            file=BytesIO(),
            field_name=self.field_name,
            name=self.file_name,
            content_type=self.content_type,
            size=0,
            charset=self.charset,
        )
